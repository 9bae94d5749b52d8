"""Is whoever waits for a record woken when it is seen, and not before?"""

from __future__ import annotations

import asyncio
import threading

from eligo.service.state.progress import Progress


def test_what_is_seen_is_not_waited_for() -> None:
    progress = Progress(7)
    assert progress.wait(7, timeout=0)
    assert not progress.wait(8, timeout=0.01)
    assert asyncio.run(progress.wait_in_loop(7, timeout=0))
    assert not asyncio.run(progress.wait_in_loop(8, timeout=0.01))


def test_a_thread_is_woken_by_its_record() -> None:
    progress, answers = Progress(), []
    waiting = [
        threading.Thread(target=lambda seq=seq: answers.append((seq, progress.wait(seq, 60)))) for seq in (3, 1, 2)
    ]
    for thread in waiting:
        thread.start()
    progress.move(2)
    waiting[1].join()
    waiting[2].join()
    assert sorted(answers) == [(1, True), (2, True)]
    progress.move(3)
    waiting[0].join()
    assert (3, True) in answers


def test_a_loop_is_woken_from_another_thread() -> None:
    progress = Progress()

    async def wait() -> list[bool]:
        waiting = [asyncio.create_task(progress.wait_in_loop(seq, 60)) for seq in (5, 2, 4)]
        late = asyncio.create_task(progress.wait_in_loop(6, 0.05))
        await asyncio.sleep(0)
        await asyncio.to_thread(progress.move, 5)
        return [*[await each for each in waiting], await late]

    assert asyncio.run(wait()) == [True, True, True, False]
    progress.move(6)  # those who gave up are not called any more


def test_listeners_hear_of_every_group() -> None:
    progress, heard = Progress(), []
    stop = progress.listen(heard.append)
    progress.move(1)
    progress.move(4)
    stop()
    progress.move(5)
    assert heard == [1, 4]

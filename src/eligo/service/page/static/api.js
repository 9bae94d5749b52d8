// How is the service asked? By relative addresses, with the token of this tab; what it refuses is a Problem.

const KEY = "eligo-token";

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the service answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY) || "",
  set: (text) => (text ? sessionStorage.setItem(KEY, text) : sessionStorage.removeItem(KEY)),
};

/** The JSON that an address answers with; `body` makes it a POST. */
export async function ask(path, { body, signal } = {}) {
  const headers = { accept: "application/json" };
  if (token.get()) headers.authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const request = { headers, signal, cache: "no-store", credentials: "omit" };
  if (body !== undefined) Object.assign(request, { method: "POST", body: JSON.stringify(body) });
  let answer;
  try {
    answer = await fetch(new URL(path, document.baseURI.split("#")[0]), request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: "the service does not answer" });
  }
  const text = await answer.text();
  const found = asJson(text);
  if (!answer.ok) throw new Problem(answer.status, found ?? { detail: text.slice(0, 300) });
  return found;
}

function asJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The path of something that has a name of its users' choice. */
export function named(folder, name) {
  return `${folder}/${encodeURIComponent(name)}`;
}

/** A function that asks only when no one has called it for a while, and of which only the last answer counts. */
export function settled(milliseconds, work) {
  let timer = 0;
  let running = null;
  return (...given) => {
    clearTimeout(timer);
    running?.abort();
    timer = setTimeout(async () => {
      const own = (running = new AbortController());
      try {
        await work(own.signal, ...given);
      } catch (error) {
        if (error.name !== "AbortError") throw error;
      }
    }, milliseconds);
  };
}

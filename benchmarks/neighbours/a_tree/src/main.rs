//! How is a-tree asked? Built from a file, compared, warmed up, and only then timed; see exchange.py for the files and
//! process.py for the talk. The event is made of a map inside the timed part.

use a_tree::{ATree, AttributeDefinition};
use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};

enum Value {
    Number(i64),
    Text(String),
    Texts(Vec<String>),
}

type Event = HashMap<String, Value>;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let directory = Path::new(&arguments[1]);
    let warm_seconds: f64 = arguments[2].parse().unwrap();
    let most_seconds: f64 = arguments[3].parse().unwrap();

    let before = resident_bytes();
    let started = Instant::now();
    let mut tree = empty_tree(directory);
    let expressions = fs::File::open(directory.join("expressions.tsv")).unwrap();
    for (id, line) in BufReader::new(expressions).lines().enumerate() {
        tree.insert(&(id as u64), &expression(&line.unwrap())).unwrap();
    }
    let build_seconds = started.elapsed().as_secs_f64();
    say(&format!(
        "{{\"build_s\": {build_seconds}, \"bytes\": {}, \"kind\": \"resident\", \"runtime\": \"Rust\"}}",
        resident_bytes() - before
    ));

    answer(directory, &tree);
    say("{\"answered\": true}");
    let mut word = String::new();
    if io::stdin().read_line(&mut word).unwrap() == 0 {
        return;
    }

    let warm = events(&directory.join("warm.tsv"));
    let asked = events(&directory.join("asked.tsv"));
    let end = Instant::now() + Duration::from_secs_f64(1.5 * warm_seconds);
    for event in warm.iter().cycle() {
        ask(&tree, event);
        if Instant::now() > end {
            break;
        }
    }
    let mut times: Vec<u128> = Vec::new();
    let mut matches = 0;
    let first = Instant::now();
    for event in &asked {
        let asking = Instant::now();
        let found = ask(&tree, event);
        times.push(asking.elapsed().as_nanos());
        matches += found.len();
        if first.elapsed().as_secs_f64() > most_seconds {
            break;
        }
    }
    say(&format!("{{\"times_ns\": {times:?}, \"matches\": {matches}}}"));
}

/// All attributes that some expression names.
fn empty_tree(directory: &Path) -> ATree<u64> {
    let names = fs::read_to_string(directory.join("attributes.txt")).unwrap();
    let definitions: Vec<AttributeDefinition> = names
        .lines()
        .map(|name| match name.as_bytes()[0] {
            b'r' => AttributeDefinition::integer(name),
            b's' => AttributeDefinition::string(name),
            _ => AttributeDefinition::string_list(name),
        })
        .collect();
    ATree::new(&definitions).unwrap()
}

fn expression(line: &str) -> String {
    let predicates: Vec<String> = line
        .split('\t')
        .map(|field| {
            let parts: Vec<&str> = field.split(' ').collect();
            match field.as_bytes()[0] {
                b'r' => format!("{0} >= {1} and {0} <= {2}", parts[0], parts[1], parts[2]),
                b's' => format!("{} = '{}'", parts[0], parts[1]),
                _ => format!("{} one of ['{}']", parts[0], parts[1..].join("', '")),
            }
        })
        .collect();
    predicates.join(" and ")
}

fn ask(tree: &ATree<u64>, event: &Event) -> Vec<u64> {
    let mut builder = tree.make_event();
    for (name, value) in event {
        match value {
            Value::Number(number) => builder.with_integer(name, *number),
            Value::Text(text) => builder.with_string(name, text),
            Value::Texts(texts) => {
                let listed: Vec<&str> = texts.iter().map(String::as_str).collect();
                builder.with_string_list(name, &listed)
            }
        }
        .unwrap();
    }
    let event = builder.build().unwrap();
    tree.search(&event).unwrap().matches().iter().map(|id| **id).collect()
}

fn answer(directory: &Path, tree: &ATree<u64>) {
    let mut answers = String::new();
    for event in events(&directory.join("checked.tsv")) {
        let mut found = ask(tree, &event);
        found.sort_unstable();
        for id in found {
            answers.push_str(&format!("{id} "));
        }
        answers.push('\n');
    }
    fs::write(directory.join("answers.txt"), answers).unwrap();
}

fn events(path: &Path) -> Vec<Event> {
    fs::read_to_string(path).unwrap().lines().map(event).collect()
}

fn event(line: &str) -> Event {
    line.split('\t')
        .map(|field| {
            let parts: Vec<&str> = field.split(' ').collect();
            let value = match field.as_bytes()[0] {
                b'r' => Value::Number(parts[1].parse().unwrap()),
                b's' => Value::Text(parts[1].to_string()),
                _ => Value::Texts(parts[1..].iter().map(|text| text.to_string()).collect()),
            };
            (parts[0].to_string(), value)
        })
        .collect()
}

fn resident_bytes() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    1024 * kilobytes.and_then(|text| text.parse::<i64>().ok()).unwrap_or(0)
}

fn say(line: &str) {
    println!("{line}");
    io::stdout().flush().unwrap();
}

//! The JSON Schema of a profile, with which editors check and complete it.

use std::fmt::Write;

use ant_pacing::{Entry, FieldKind, catalogue};
use serde_json::{Map, Value as Json, json};

use crate::keys::{self, FILE_WORDS, Kind, MOST_SLOTS};

/// Returns the JSON Schema of a profile's file, made of the list of keys and of
/// the catalogue of strategies.
pub fn schema() -> Json {
    let mut top = Map::new();
    for (name, summary) in FILE_WORDS {
        top.insert(
            (*name).to_owned(),
            json!({ "type": "string", "description": summary }),
        );
    }
    for key in keys::in_files() {
        let mut schema = of_kind(key.kind);
        let mut description = format!(
            "{}. Default: {}, because {}.",
            key.meaning(),
            key.default_text(),
            key.reason
        );
        if !key.variable.is_empty() {
            let _ = write!(description, " Variable: {}.", key.variable);
        }
        schema["description"] = json!(description);
        match key.name.split_once('.') {
            None => {
                top.insert(key.name.to_owned(), schema);
            }
            Some((section, name)) => {
                let table = top.entry(section).or_insert_with(
                    || json!({ "type": "object", "properties": {}, "additionalProperties": false }),
                );
                table["properties"][name] = schema;
            }
        }
    }
    top["pacing"]["allOf"] = json!(pacing_rules());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A profile of ant",
        "type": "object",
        "minProperties": 1,
        "properties": top,
        "additionalProperties": false,
    })
}

/// Returns the pattern of the strategies, those whose numbers have keys of their
/// own also by their bare name.
fn strategies(bare: bool) -> String {
    let entries = catalogue::all().iter();
    let patterns = entries.map(|entry| match short_numbers(entry) {
        numbers if numbers.is_empty() => format!("{}{SCOPE}", entry.name),
        numbers if bare => format!("{}({numbers}{SCOPE})?", entry.name),
        numbers => format!("{}{numbers}{SCOPE}", entry.name),
    });
    format!("^({})$", patterns.collect::<Vec<_>>().join("|"))
}

const SCOPE: &str = "(@(payment|client))?";

fn short_numbers(entry: &Entry) -> String {
    let numbers = entry.fields.iter().map(|field| match field.kind {
        FieldKind::Count => "-[1-9][0-9]*",
        FieldKind::Duration => "-([1-9][0-9]*[a-z]+)+",
    });
    numbers.collect()
}

/// Returns what the keys of `[pacing]` must be to each other: a bare name has all
/// its strategy's numbers beside it and no others, a short form has none, and the
/// scope is said once.
fn pacing_rules() -> Vec<Json> {
    let none_but = |entry: Option<&Entry>| {
        let fields = catalogue::all().iter().flat_map(|entry| entry.fields);
        let others = fields.filter(|field| {
            entry.is_none_or(|entry| entry.fields.iter().all(|own| own.name != field.name))
        });
        let forbidden = others.map(|field| (field.name.to_owned(), json!(false)));
        Json::Object(forbidden.collect())
    };
    let when = |strategy: Json, then: Json| {
        json!({
            "if": { "properties": { "strategy": strategy }, "required": ["strategy"] },
            "then": then,
        })
    };
    let mut rules: Vec<_> = catalogue::all()
        .iter()
        .map(|entry| {
            let names: Vec<_> = entry.fields.iter().map(|field| field.name).collect();
            let then = json!({ "required": names, "properties": none_but(Some(entry)) });
            when(json!({ "const": entry.name }), then)
        })
        .collect();
    let short = json!({ "pattern": "[-@]" });
    rules.push(when(short, json!({ "properties": none_but(None) })));
    let scoped = json!({ "pattern": "@client$" });
    rules.push(when(scoped, json!({ "properties": { "scope": false } })));
    rules
}

/// Returns what an editor is told of a key's value.
fn of_kind(kind: Kind) -> Json {
    let slots = json!({ "type": "integer", "minimum": 1, "maximum": MOST_SLOTS });
    match kind {
        Kind::NameOrPath | Kind::File => json!({ "type": "string" }),
        Kind::Strategy => json!({ "type": "string", "pattern": strategies(true) }),
        Kind::Slots => slots,
        Kind::Span { .. } => json!({
            "type": "string",
            "pattern": "^((0|[1-9][0-9]*)[a-z]+)+$",
        }),
        Kind::Count { low, high, .. } => {
            json!({ "type": "integer", "minimum": low, "maximum": high })
        }
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words }),
        Kind::Addresses => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Arms => json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    // An arm has no keys for a strategy's numbers.
                    "strategy": { "type": "string", "pattern": strategies(false) },
                    "weight": slots,
                },
                "required": ["strategy"],
                "additionalProperties": false,
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{keys::KEYS, sources::SHIPPED};

    fn valid(profile: &str) -> bool {
        let file = config::File::from_str(profile, config::FileFormat::Toml);
        let read = config::Config::builder().add_source(file).build().unwrap();
        let json: Json = read.try_deserialize().unwrap();
        jsonschema::is_valid(&schema(), &json)
    }

    #[test]
    fn the_one_beside_the_profiles_is_this_one() {
        let kept = include_str!("../../profiles/profile.schema.json");
        let made = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
        assert_eq!(
            kept, made,
            "write it anew: cargo run -p ant-config --example generate"
        );
    }

    #[test]
    fn it_takes_every_shipped_profile_and_every_example() {
        for (name, text) in SHIPPED {
            assert!(valid(text), "{name}");
        }
        for key in KEYS.iter().filter(|key| key.in_files() && key.name != "ab") {
            let (section, name) = key.name.split_once('.').unwrap();
            let quoted = format!("\"{}\"", key.example);
            let listed = format!("[{quoted}]");
            let forms = [key.example, &quoted, &listed];
            let fits = |form: &&str| {
                toml::de::DeTable::parse(&format!("x = {form}")).is_ok()
                    && valid(&format!("[{section}]\n{name} = {form}\n"))
            };
            assert!(forms.iter().any(fits), "{}", key.name);
        }
        assert!(valid("[[ab]]\nstrategy = \"hold-32\"\nweight = 2\n"));
        for pacing in [
            "strategy = \"release\"\nafter = \"2s\"\nslots = 4\nscope = \"client\"\n",
            "strategy = \"aimd\"\nmin = 8\nslots = 16\nmax = 32\n",
            "strategy = \"uncapped@client\"\n",
            "strategy = \"hold-3\"\nscope = \"client\"\n",
            "max = 64\nscope = \"client\"\n",
        ] {
            assert!(valid(&format!("[pacing]\n{pacing}")), "{pacing}");
        }
    }

    #[test]
    fn it_refuses_what_is_not_a_profile() {
        for bad in [
            "asks = 3\n",
            "[plan]\nasks = 3\n",
            "[plan]\nask = 15\n",
            "[plan]\nask = \"32\"\n",
            "[plan]\nrequest_timeout = 10\n",
            "[plan]\nrequest_timeout = \"10\"\n",
            "[pacing]\nstrategy = \"hold16\"\n",
            "[pacing]\nstrategy = \"Hold-16\"\n",
            "[pacing]\nslots = 0\n",
            "[pacing]\nstrategy = \"aimd\"\n",
            "[pacing]\nstrategy = \"aimd\"\nmin = 8\nslots = 16\n",
            "[pacing]\nstrategy = \"hold\"\nslots = 16\nmax = 32\n",
            "[pacing]\nstrategy = \"hold-16\"\nslots = 16\n",
            "[pacing]\nstrategy = \"hold@client\"\n",
            "[pacing]\nstrategy = \"hold-16@client\"\nscope = \"payment\"\n",
            "[pacing]\nstrategy = \"uncapped\"\nslots = 16\n",
            "[[ab]]\nstrategy = \"aimd\"\n",
            "[network]\nkind = \"Remote\"\n",
            "[[ab]]\nweight = 1\n",
        ] {
            assert!(!valid(bad), "{bad}");
        }
    }
}

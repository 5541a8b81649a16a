//! The JSON schema of Bowline's own files, for editors. It describes the form that the documentation teaches; the
//! reader understands more.

use serde_json::{Map as Object, Value, json};

use super::describe::{Key, Kind, Map, Need, Table, Unknown, Who};
use super::sections::{FILE, default_value};

/// The JSON schema of `bowline.toml` and its like.
pub fn json_schema() -> Value {
    let mut definitions = Definitions::default();
    let mut schema = definitions.table(&FILE, "");
    insert(&mut schema, "title", FILE.name);
    insert(
        &mut schema,
        "$schema",
        "http://json-schema.org/draft-07/schema#",
    );
    insert(&mut schema, "definitions", definitions.0);
    schema
}

/// What is referred to by name.
#[derive(Default)]
struct Definitions(Object<String, Value>);

impl Definitions {
    fn table(&mut self, table: &Table, path: &str) -> Value {
        let mut properties = Object::new();
        let mut required = Vec::new();
        for key in table.keys {
            let path = format!("{path}{}", key.name);
            properties.insert(key.name.to_owned(), self.key(key, &path));
            if key.need == Need::Required {
                required.push(key.name);
            }
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            insert(&mut schema, "required", required);
        }
        if table.others == Unknown::Wrong {
            insert(&mut schema, "additionalProperties", false);
        }
        described(schema, table.about)
    }

    fn key(&mut self, key: &Key, path: &str) -> Value {
        let mut schema = self.kind(key.kind, path);
        // In this version of the standard, what stands beside a reference does not count.
        if schema.get("$ref").is_some() {
            schema = json!({ "allOf": [schema] });
        }
        if key.default.is_none()
            && let Some(default) = default_value(path)
            && matches!(
                default,
                Value::Bool(_) | Value::Number(_) | Value::String(_)
            )
        {
            insert(&mut schema, "default", default);
        }
        let counts = match key.who {
            Who::Everybody => "",
            Who::User => " Counts in the user's and the administrator's file alone.",
            Who::Administrator => " Counts in the administrator's file alone.",
        };
        described(schema, &format!("{}{counts}", key.about))
    }

    fn kind(&mut self, kind: Kind, path: &str) -> Value {
        match kind {
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Text => json!({ "type": "string" }),
            Kind::TextLike(like) => {
                let mut schema = json!({ "type": "string", "pattern": like.pattern });
                if let Some(length) = like.max_length {
                    insert(&mut schema, "maxLength", length);
                }
                schema
            }
            Kind::Count => json!({ "type": "integer", "format": "uint32", "minimum": 1 }),
            Kind::WholeNumber => json!({ "type": "integer", "format": "int32" }),
            Kind::Number => json!({ "type": "number", "format": "double" }),
            Kind::Seconds => json!({ "type": "number", "format": "double", "exclusiveMinimum": 0 }),
            Kind::Object => json!({ "type": "object" }),
            Kind::List(of) => json!({ "type": "array", "items": self.kind(*of, path) }),
            Kind::Words(list) => self.named(list.name, |_| {
                let schema = json!({ "type": "string", "enum": (list.words)() });
                described(schema, list.about)
            }),
            Kind::Map(map) => match map.name {
                Some(name) => self.named(name, |this| this.map(map)),
                None => self.map(map),
            },
            Kind::AnyOf(union) => self.named(union.name, |this| {
                let of: Vec<Value> = union.of.iter().map(|kind| this.kind(*kind, "")).collect();
                described(json!({ "anyOf": of }), union.about)
            }),
            Kind::Table(table) => {
                self.named(table.name, |this| this.table(table, &format!("{path}.")))
            }
        }
    }

    fn map(&mut self, map: &Map) -> Value {
        let of = self.kind(map.of, "");
        let mut schema = json!({ "type": "object" });
        let names = (map.names)().into_iter();
        let properties: Object<String, Value> =
            names.map(|name| (name.to_owned(), of.clone())).collect();
        if !properties.is_empty() {
            insert(&mut schema, "properties", properties);
        }
        let others = match map.others {
            Unknown::Fine => of,
            Unknown::Wrong => Value::Bool(false),
        };
        insert(&mut schema, "additionalProperties", others);
        described(schema, map.about)
    }

    /// A reference to what is defined once.
    fn named(&mut self, name: &str, define: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.0.contains_key(name) {
            let defined = define(self);
            self.0.insert(name.to_owned(), defined);
        }
        json!({ "$ref": format!("#/definitions/{name}") })
    }
}

fn described(mut schema: Value, about: &str) -> Value {
    if !about.is_empty() {
        insert(&mut schema, "description", about);
    }
    schema
}

fn insert(schema: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(schema) = schema {
        schema.insert(key.to_owned(), value.into());
    }
}

//! What a request says beside its path: filters in an address, fields in a form.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// Asks for the part of a page that changes.
const FRAGMENT: &str = "fragment";

/// Names and values. Empty values count as absent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(given, _)| given == name);
        found
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    }

    pub(crate) fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(ToOwned::to_owned)
    }

    /// What a field of a form names, as [`crate::text::key`] has written it.
    pub(crate) fn key(&self, name: &str) -> Option<String> {
        let written = self.get(name)?;
        let mut named = form_urlencoded::parse(written.as_bytes());
        named.next().map(|(key, _)| key.into_owned())
    }

    /// Whether only the part of a page is wanted that changes.
    pub(crate) fn is_fragment(&self) -> bool {
        self.get(FRAGMENT).is_some()
    }

    /// What a person or a link said. Scripts say more.
    pub(crate) fn said(&self) -> impl Iterator<Item = (&str, &str)> {
        let said = self.0.iter().map(|(name, value)| (&**name, value.trim()));
        said.filter(|(name, value)| *name != FRAGMENT && !value.is_empty())
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(Self::parse(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::key;

    #[test]
    fn a_name_comes_back_as_it_was_sent() {
        for name in [
            "toolu_1",
            "/home/ada/shop",
            " a=b&c%20+d ",
            "1\0\r\n\u{202e}\u{1b}é日",
        ] {
            let field = key(name);
            assert!(!field.contains(|c: char| c.is_control() || !c.is_ascii()));
            let mut form = form_urlencoded::Serializer::new(String::new());
            let form = form.append_pair("call", &field).finish();
            let read = Query::parse(form.as_bytes()).key("call");
            assert_eq!(read.as_deref(), Some(name));
        }
        assert_eq!(Query::parse(b"call=").key("call"), None);
    }
}

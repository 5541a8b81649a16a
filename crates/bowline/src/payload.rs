//! The JSON envelope: what agents send on stdin, and what hooks get.

use serde_json::Value;

use crate::context::HookContext;
use crate::event::HookEvent;
use crate::input::HookInput;

/// A payload that lacks fields that it must have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the payload lacks {}", .missing.join(", "))]
pub struct PayloadError {
    /// The missing fields.
    pub missing: Vec<&'static str>,
}

impl HookInput {
    /// Reads a payload, refusing one that lacks required fields.
    pub fn from_payload(payload: &Value) -> Result<Self, PayloadError> {
        let _ = payload;
        Err(PayloadError { missing: vec![] })
    }

    /// Reads a payload as far as it goes: what is missing is left empty, never an error.
    pub fn from_payload_lenient(payload: &Value) -> Self {
        let _ = payload;
        Self::for_event("", HookEvent::Unknown)
    }

    /// The JSON object that hooks get on stdin.
    pub fn to_payload(&self, ctx: &HookContext) -> Value {
        let _ = ctx;
        Value::Null
    }
}

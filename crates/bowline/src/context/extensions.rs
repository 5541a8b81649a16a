//! What the hooks of one event share.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// One value of each type, for one event. Clones share the values.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use bowline::hooks::HookContext;
///
/// #[derive(Default)]
/// struct Asked(AtomicU32);
///
/// let ctx = HookContext::new("session-1");
/// ctx.extensions().get::<Asked>().0.fetch_add(1, Ordering::Relaxed);
/// // Another hook of the same event finds what the first one left.
/// assert_eq!(ctx.clone().extensions().get::<Asked>().0.load(Ordering::Relaxed), 1);
/// ```
#[derive(Clone, Default)]
pub struct Extensions {
    /// An event has few of them: a list is searched faster than a map.
    values: Arc<Mutex<Vec<Arc<dyn Any + Send + Sync>>>>,
}

impl Extensions {
    /// The value of this type. The first who asks for it gets the default.
    pub fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let found = values.iter().find(|value| (***value).is::<T>()).cloned();
        if let Some(found) = found.and_then(|value| value.downcast::<T>().ok()) {
            return found;
        }
        let made = Arc::<T>::default();
        values.push(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        made
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_value_of_each_type() {
        let event = Extensions::default();
        *event.get::<Mutex<u8>>().lock().unwrap() = 7;
        *event.clone().get::<Mutex<String>>().lock().unwrap() = "x".to_owned();
        assert_eq!(*event.get::<Mutex<u8>>().lock().unwrap(), 7);
        assert_eq!(*event.get::<Mutex<String>>().lock().unwrap(), "x");
        let other = Extensions::default();
        assert_eq!(*other.get::<Mutex<u8>>().lock().unwrap(), 0);
    }
}

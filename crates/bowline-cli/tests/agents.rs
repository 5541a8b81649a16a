//! Both real programs together, as agents use them: events through `bowline-hook` to the daemon and its store, the
//! demo, and a real agent where one is installed.

#[cfg(test)]
mod agents {
    mod allow;
    mod background;
    mod bare;
    #[path = "../shared/client.rs"]
    mod client;
    mod demo;
    mod direct;
    mod documents;
    mod events;
    mod gone;
    mod hanging;
    mod interactive;
    #[path = "../shared/person.rs"]
    mod person;
    mod place;
    #[path = "../shared/put.rs"]
    mod put;
    mod realclient;
    mod streams;
    mod variables;
}

//! Both real programs together, as agents use them: events through `bowline-hook` to the daemon and its store, the
//! demo, and a real agent where one is installed.

#[cfg(test)]
mod agents {
    mod allow;
    mod approvals;
    mod background;
    mod bare;
    mod bridged;
    mod clients;
    mod continued;
    mod current_effort;
    mod demo;
    mod direct;
    mod documents;
    mod efforts;
    mod events;
    mod gone;
    mod handed_over;
    mod hanging;
    mod interactive;
    mod opencode;
    mod realclient;
    mod reporting;
    mod streams;
    mod variables;
}

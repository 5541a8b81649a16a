//! How the hooks of settings files run: programs, HTTP requests, questions to a model.

//! An SM from outside: its rules, its caches and its schedulers.

mod ccws;
mod constants;
mod crew;
mod deadlock;
mod drain;
mod issue;
mod kit;
mod rules;

//! cupule-record

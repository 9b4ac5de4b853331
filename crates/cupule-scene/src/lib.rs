//! cupule-scene

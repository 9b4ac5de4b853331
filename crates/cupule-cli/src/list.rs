//! What cupule can do: its scenes, its cups, its schema, and a word of welcome.

use cupule_session::scene::{cup, cup_names, load, schema as scene_schema, shipped_names};

use crate::Status;

/// Without a subcommand: what it can do and how to start.
pub fn welcome() {
    say!(
        "\
cupule simulates soft things that hold on: suction cups, pads, fingertips and grippers.

Start here:
  cupule list                 the scenes that ship with it (--cups: the cups)
  cupule run squeeze          run one; figures go to runs/squeeze
  cupule view runs/squeeze    see what happened, in the browser
  cupule render runs/squeeze --at 3 --out squeeze.png    the same as a picture
  cupule export runs/squeeze --to vtu    the same for ParaView (or --to glb for Blender and browsers)
  cupule run squeeze --set contact.friction=0.3    the same with one number changed
  cupule check                run all scenes and test what they expect

To write your own scene, copy one: every run leaves the complete scene in its folder (scene.toml).
  cupule run my-scene.toml
  cupule schema               JSON Schema of the scene file, for completion and checks in editors
  cupule bench contact        how fast it is here

`cupule --help` and `cupule COMMAND --help` tell the options."
    );
}

/// The shipped scenes, one line each.
pub fn list(json: bool) -> Status {
    let scenes: Vec<_> = shipped_names().map(|name| (name, load(name, &[]))).collect();
    if json {
        let entries: Vec<_> = scenes
            .iter()
            .filter_map(|(name, loaded)| loaded.as_ref().ok().map(|loaded| (name, loaded)))
            .map(|(name, loaded)| {
                let scene = &loaded.scene;
                let variants: Vec<_> = loaded.variants.iter().map(|(name, _)| name).collect();
                serde_json::json!({
                    "name": name, "title": loaded.title, "description": scene.description,
                    "duration": scene.duration, "bodies": scene.bodies.len(), "expect": scene.expect.len(),
                    "variants": variants,
                })
            })
            .collect();
        say!("{}", serde_json::Value::from(entries));
        return Status::Done;
    }
    let width = scenes.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, loaded) in &scenes {
        match loaded {
            Ok(loaded) => {
                say!("{name:width$}  {}", loaded.title);
                for (variant, title) in &loaded.variants {
                    say!("{:width$}  @{variant}: {title}", "");
                }
            }
            Err(error) => say!("{name:width$}  (cannot be read: {error})"),
        }
    }
    Status::Done
}

/// The cups of the library, one line each.
pub fn cups(json: bool) -> Status {
    let mut entries = Vec::new();
    for name in cup_names() {
        match cup(name) {
            Some(Ok(cup)) => entries.push((name, cup)),
            Some(Err(message)) => {
                tell!("error: {message}");
                return Status::BadInput;
            }
            None => {}
        }
    }
    if json {
        let entries = entries.iter().map(|(name, cup)| {
            serde_json::json!({
                "name": name, "title": cup.title, "source": cup.source, "chosen": cup.chosen, "nodes": cup.nodes,
                "mass": cup.mass, "shape": cup.shape, "scale": cup.scale, "material": cup.material,
            })
        });
        say!("{}", entries.collect::<serde_json::Value>());
        return Status::Done;
    }
    let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, cup) in &entries {
        let modulus = cup.material.youngs_modulus.unwrap_or(f64::NAN) / 1e3;
        say!("{name:width$}  {}: {modulus:.0} kPa, {} nodes", cup.title, cup.nodes);
    }
    say!(
        "A body of a scene takes one with `cup = \"{}\"`.",
        entries.first().map_or("s20", |e| e.0)
    );
    Status::Done
}

/// The JSON Schema of the scene file.
pub fn schema() -> Status {
    say!("{:#}", scene_schema());
    Status::Done
}

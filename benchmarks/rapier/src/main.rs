// Rapier's side of ./bench rapier: peer-rapier SCENE.txt, then commands, a line each:
//   run STEPS LAST      from the beginning; ns a step of all, ns a step of the last LAST, and of these ns of finding contacts (wall
//                       time, by Rapier's own counters), pairs that touch, points of contact
//   values state 0      position, quaternion (w x y z), linear and angular velocity in the world of all bodies, after the last run
//   values before 0     positions of all bodies LAST steps before the end
//   quit
// SCENE.txt, a line each, numbers in SI units:
//   gravity x y z | dt s | joints multibody|impulse
//   body fixed|moving x y z qw qx qy qz mass friction SHAPE
//   ball A B x y z      bodies A and B are joined at a point of the world and do not touch each other
// SHAPE: box HALF HALF HALF | sphere RADIUS | capsule HALF RADIUS, along z
#[cfg(feature = "f32")]
use rapier3d as rapier;
#[cfg(feature = "f64")]
use rapier3d_f64 as rapier;

use rapier::prelude::*;
use std::io::BufRead;

type Any = Box<dyn std::error::Error>;

struct World {
    gravity: Vector,
    parameters: IntegrationParameters,
    multibody: bool,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad: BroadPhaseBvh,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    joints: ImpulseJointSet,
    multibodies: MultibodyJointSet,
    soft: SoftBodySet,
    ccd: CCDSolver,
    handles: Vec<RigidBodyHandle>,
}

fn cpu() -> f64 {
    // the sum of user and system time, of this process alone, which has one thread
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(2, &mut time) };
    time.seconds as f64 * 1e9 + time.nanoseconds as f64
}

fn numbers(words: &[&str]) -> Result<Vec<Real>, Any> {
    words.iter().map(|w| Ok(w.parse::<f64>()? as Real)).collect()
}

impl World {
    fn read(text: &str) -> Result<World, Any> {
        let mut w = World {
            gravity: Vector::ZERO,
            parameters: IntegrationParameters::default(),
            multibody: false,
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad: BroadPhaseBvh::new(),
            narrow: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            joints: ImpulseJointSet::new(),
            multibodies: MultibodyJointSet::new(),
            soft: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            handles: Vec::new(),
        };
        w.pipeline.counters.enable();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[0] {
                "gravity" => {
                    let n = numbers(&words[1..])?;
                    w.gravity = Vector::new(n[0], n[1], n[2]);
                }
                "dt" => w.parameters.dt = numbers(&words[1..])?[0],
                "joints" => w.multibody = words[1] == "multibody",
                "body" => w.body(&words)?,
                "ball" => w.ball(&words)?,
                other => return Err(format!("there is no {other}").into()),
            }
        }
        Ok(w)
    }

    fn body(&mut self, words: &[&str]) -> Result<(), Any> {
        let n = numbers(&words[2..11])?;
        let s = numbers(&words[12..])?;
        let collider = match words[11] {
            "box" => ColliderBuilder::cuboid(s[0], s[1], s[2]),
            "sphere" => ColliderBuilder::ball(s[0]),
            "capsule" => ColliderBuilder::capsule_z(s[0], s[1]),
            other => return Err(format!("there is no shape {other}").into()),
        };
        let body = if words[1] == "fixed" { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
        let turn = Rotation::from_xyzw(n[4], n[5], n[6], n[3]);
        let body = body.pose(Pose::from_parts(Vector::new(n[0], n[1], n[2]), turn)).can_sleep(false);
        let handle = self.bodies.insert(body);
        let collider = collider.friction(n[8]).restitution(0.0).mass(n[7]);
        self.colliders.insert_with_parent(collider, handle, &mut self.bodies);
        self.handles.push(handle);
        Ok(())
    }

    fn ball(&mut self, words: &[&str]) -> Result<(), Any> {
        let [a, b] = [self.handles[words[1].parse::<usize>()?], self.handles[words[2].parse::<usize>()?]];
        let n = numbers(&words[3..])?;
        let at = |h: RigidBodyHandle| {
            self.bodies[h].position().inverse_transform_point(Vector::new(n[0], n[1], n[2]))
        };
        let joint = SphericalJointBuilder::new().local_anchor1(at(a)).local_anchor2(at(b));
        let joint = joint.contacts_enabled(false);
        if self.multibody {
            self.multibodies.insert(a, b, joint, true).ok_or("no such joint")?;
        } else {
            self.joints.insert(a, b, joint, true);
        }
        Ok(())
    }

    fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad,
            &mut self.narrow,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibodies,
            &mut self.soft,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    fn positions(&self) -> Vec<f64> {
        self.handles
            .iter()
            .flat_map(|h| <[Real; 3]>::from(self.bodies[*h].translation()))
            .map(|x| x as f64)
            .collect()
    }

    fn state(&self) -> Vec<f64> {
        let of = |h: &RigidBodyHandle| {
            let b = &self.bodies[*h];
            let (p, q, v, w) = (b.translation(), b.rotation(), b.linvel(), b.angvel());
            [p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z].map(|x| x as f64)
        };
        self.handles.iter().flat_map(of).collect()
    }

    fn contacts(&self) -> [f64; 2] {
        let (mut pairs, mut points) = (0, 0);
        for pair in self.narrow.contact_pairs() {
            pairs += pair.has_any_active_contact() as usize;
            if let Some(rigid) = pair.rigid() {
                points += rigid.manifolds.iter().map(|m| m.data.solver_contacts.len()).sum::<usize>();
            }
        }
        [pairs as f64, points as f64]
    }
}

fn print(numbers: &[f64]) {
    println!("{}", numbers.iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" "));
}

fn main() -> Result<(), Any> {
    let path = std::env::args().nth(1).ok_or("usage: peer-rapier SCENE.txt")?;
    let text = std::fs::read_to_string(path)?;
    let mut world = World::read(&text)?;
    let mut before = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", steps, last] => {
                let (steps, last) = (steps.parse::<usize>()?, last.parse::<usize>()?);
                world = World::read(&text)?;
                let (mut all, mut settled, mut finding) = (0.0, 0.0, 0.0);
                for k in 0..steps {
                    if k + last == steps {
                        before = world.positions();
                    }
                    let start = cpu();
                    world.step();
                    let spent = cpu() - start;
                    all += spent;
                    if k + last >= steps {
                        let cd = &world.pipeline.counters.cd;
                        settled += spent;
                        finding += cd.broad_phase_time.time_ms()
                            + cd.final_broad_phase_time.time_ms()
                            + cd.narrow_phase_time.time_ms();
                    }
                }
                let [pairs, points] = world.contacts();
                let (steps, last) = (steps as f64, last as f64);
                print(&[all / steps, settled / last, finding / last * 1e6, pairs, points]);
            }
            ["values", "state", _] => print(&world.state()),
            ["values", "before", _] => print(&before),
            ["quit"] => break,
            _ => println!("error: not a command"),
        }
    }
    Ok(())
}

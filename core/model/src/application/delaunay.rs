//! Linear interpolation between scattered points in three dimensions: the Delaunay
//! tetrahedralisation (Bowyer 1981, Watson 1981) and barycentric weights.
//!
//! Points are small integers, so orientation and in-sphere tests are exact and no input is
//! degenerate to them. Measurements lie on a grid, where many points share a sphere and the
//! tetrahedralisation is not unique; ties are broken by lowering each point by an infinitesimal that
//! shrinks from point to point, in the order of nodes, replicas and batch (simulation of
//! simplicity, Edelsbrunner and Mücke 1990). Then every cavity is star-shaped, and no flat
//! tetrahedron arises: points on one sphere form a fan around the first of them. Qhull, which the
//! original interpolates with, makes fans as well, but around whichever point it saw last. The
//! hull's outside is tiled by ghosts: tetrahedra whose fourth vertex lies at infinity.

use crate::order;
use serde::{Deserialize, Serialize};

/// A point, by nodes, replicas and batch.
pub(super) type Point = [i64; 3];

/// Coordinates stay below this, so that no determinant exceeds 128 bits.
pub(super) const MAX_COORDINATE: i64 = 1 << 22;

/// The vertex at infinity.
const INFINITY: u32 = u32::MAX;

/// Tetrahedra over points, no two of which are the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Mesh {
    points: Vec<Point>,
    /// Positively oriented, live ones only.
    tetrahedra: Vec<Tetrahedron>,
    /// A tetrahedron within the hull, from which every search begins.
    first: usize,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Tetrahedron {
    vertices: [u32; 4],
    /// Across the face opposite to each vertex.
    neighbours: [u32; 4],
}

impl Mesh {
    /// The mesh; `None` where the points lie in a plane, or out of range.
    pub(super) fn new(points: Vec<Point>) -> Option<Self> {
        if points.iter().flatten().any(|c| c.abs() >= MAX_COORDINATE) {
            return None;
        }
        let first = first_tetrahedron(&points)?;
        let mut builder = Builder::new(points, first);
        for index in 0..builder.points.len() as u32 {
            if !first.contains(&index) {
                builder.insert(index)?;
            }
        }
        builder.finish()
    }

    /// The vertices around a point and their weights, which add up to 1; `None` outside the hull.
    pub(super) fn locate(&self, at: Point) -> Option<[(usize, f64); 4]> {
        if at.iter().any(|c| c.abs() >= MAX_COORDINATE) {
            return None;
        }
        let mut current = self.first;
        // A walk towards the point cannot come back in a Delaunay mesh; the count is a backstop.
        for _ in 0..self.tetrahedra.len() {
            let tetrahedron = self.tetrahedra.get(current)?;
            if tetrahedron.vertices.contains(&INFINITY) {
                return None;
            }
            let corners = tetrahedron.vertices.map(|v| self.points[v as usize]);
            let mut volumes = [0; 4];
            let mut towards = None;
            for face in 0..4 {
                let mut corners = corners;
                corners[face] = at;
                volumes[face] = orientation(corners);
                if volumes[face] < 0 {
                    towards = Some(face);
                    break;
                }
            }
            match towards {
                Some(face) => current = tetrahedron.neighbours[face] as usize,
                None => {
                    let whole: i128 = volumes.iter().sum();
                    return Some(std::array::from_fn(|i| {
                        let weight = volumes[i] as f64 / whole as f64;
                        (tetrahedron.vertices[i] as usize, weight)
                    }));
                }
            }
        }
        None
    }
}

/// Four points that span space, positively oriented.
fn first_tetrahedron(points: &[Point]) -> Option<[u32; 4]> {
    let a = 0;
    let b = (1..points.len()).find(|&b| points[b] != points[a])?;
    let c = (b + 1..points.len()).find(|&c| {
        let (u, v) = (minus(points[b], points[a]), minus(points[c], points[a]));
        cross(u, v) != [0; 3]
    })?;
    let d = (1..points.len())
        .find(|&d| orientation([points[a], points[b], points[c], points[d]]) != 0)?;
    let [a32, b32, c32, d32] = [a, b, c, d].map(|i| i as u32);
    if orientation([points[a], points[b], points[c], points[d]]) > 0 {
        Some([a32, b32, c32, d32])
    } else {
        Some([b32, a32, c32, d32])
    }
}

struct Builder {
    points: Vec<Point>,
    tetrahedra: Vec<Tetrahedron>,
    alive: Vec<bool>,
    /// Scratch: the tetrahedra that a new point displaces, and which were looked at.
    cavity: Vec<u32>,
    seen: Vec<u32>,
    /// By which insertion `seen` was last marked.
    stamp: u32,
}

impl Builder {
    fn new(points: Vec<Point>, first: [u32; 4]) -> Self {
        // The tetrahedron is number 0, the ghost across its face i number i + 1.
        let mut tetrahedra = vec![Tetrahedron {
            vertices: first,
            neighbours: [1, 2, 3, 4],
        }];
        for face in 0..4 {
            // Infinity on the other side of the face turns the orientation: swap two others.
            let mut vertices = first;
            vertices[face] = INFINITY;
            let (i, j) = ((face + 1) % 4, (face + 2) % 4);
            vertices.swap(i, j);
            let mut neighbours = [0; 4];
            for other in 0..4 {
                let vertex = vertices[other];
                if vertex != INFINITY {
                    let across = first.iter().position(|&v| v == vertex).unwrap_or(0);
                    neighbours[other] = across as u32 + 1;
                }
            }
            tetrahedra.push(Tetrahedron {
                vertices,
                neighbours,
            });
        }
        Self {
            points,
            alive: vec![true; tetrahedra.len()],
            seen: vec![0; tetrahedra.len()],
            tetrahedra,
            cavity: Vec::new(),
            stamp: 0,
        }
    }

    /// Adds a point: what it conflicts with makes way for a star around it.
    fn insert(&mut self, index: u32) -> Option<()> {
        // Neighbours in the list are mostly neighbours in space: look at the newest first.
        let start = (0..self.tetrahedra.len())
            .rev()
            .find(|&t| self.alive[t] && self.conflicts(t, index))?;
        self.stamp += 1;
        self.cavity.clear();
        self.cavity.push(start as u32);
        self.seen[start] = self.stamp;
        // Faces between the cavity and its surroundings: inner tetrahedron, face.
        let mut rim: Vec<(u32, usize)> = Vec::new();
        let mut next = 0;
        while let Some(&inner) = self.cavity.get(next) {
            next += 1;
            for face in 0..4 {
                let outer = self.tetrahedra[inner as usize].neighbours[face] as usize;
                if self.seen[outer] == self.stamp {
                    continue;
                }
                if self.conflicts(outer, index) {
                    self.seen[outer] = self.stamp;
                    self.cavity.push(outer as u32);
                } else {
                    rim.push((inner, face));
                }
            }
        }
        for &inner in &self.cavity {
            self.alive[inner as usize] = false;
        }
        // New tetrahedra meet where they share an edge of the rim.
        let mut edges: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(rim.len() * 3);
        for &(inner, face) in &rim {
            let old = self.tetrahedra[inner as usize];
            let outer = old.neighbours[face];
            let id = self.tetrahedra.len() as u32;
            let mut vertices = old.vertices;
            vertices[face] = index;
            let mut neighbours = [0; 4];
            neighbours[face] = outer;
            let back = self.tetrahedra[outer as usize]
                .neighbours
                .iter()
                .position(|&n| n == inner)?;
            self.tetrahedra[outer as usize].neighbours[back] = id;
            for other in (0..4).filter(|&other| other != face) {
                let mut edge = [0; 2];
                let rest = (0..4).filter(|&i| i != face && i != other);
                for (slot, i) in edge.iter_mut().zip(rest) {
                    *slot = vertices[i];
                }
                edge.sort_unstable();
                edges.push((edge, id, other));
            }
            self.tetrahedra.push(Tetrahedron {
                vertices,
                neighbours,
            });
            self.alive.push(true);
            self.seen.push(0);
        }
        order::sort(&mut edges);
        for pair in edges.chunks_exact(2) {
            let [(edge, a, face_a), (same, b, face_b)] = *pair else {
                return None;
            };
            if edge != same {
                return None;
            }
            self.tetrahedra[a as usize].neighbours[face_a] = b;
            self.tetrahedra[b as usize].neighbours[face_b] = a;
        }
        Some(())
    }

    /// Whether a tetrahedron must go when the point comes.
    fn conflicts(&self, tetrahedron: usize, index: u32) -> bool {
        let Tetrahedron {
            vertices,
            neighbours,
        } = self.tetrahedra[tetrahedron];
        let Some(ghost) = vertices.iter().position(|&v| v == INFINITY) else {
            return self.in_sphere(vertices, index);
        };
        let mut corners = vertices.map(|v| self.points.get(v as usize).copied().unwrap_or([0; 3]));
        corners[ghost] = self.points[index as usize];
        match orientation(corners) {
            // In the face's plane, its circle decides, which is also the inner sphere's.
            0 => {
                let inner = self.tetrahedra[neighbours[ghost] as usize].vertices;
                self.in_sphere(inner, index)
            }
            side => side > 0,
        }
    }

    /// Whether a point is within the sphere around four others, ties broken.
    fn in_sphere(&self, vertices: [u32; 4], index: u32) -> bool {
        let [a, b, c, d] = vertices.map(|v| self.points[v as usize]);
        let e = self.points[index as usize];
        let [ra, rb, rc, rd] = [a, b, c, d].map(|p| minus(p, e));
        let lift = |p: Point| i128::from(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        // Expanded along the column of heights.
        let determinant = lift(rb) * determinant(ra, rc, rd) + lift(rd) * determinant(ra, rb, rc)
            - lift(ra) * determinant(rb, rc, rd)
            - lift(rc) * determinant(ra, rb, rd);
        if determinant != 0 {
            return determinant > 0;
        }
        // How the determinant grows with the height of each point.
        let mut slopes = [
            (vertices[0], -orientation([b, c, d, e])),
            (vertices[1], orientation([a, c, d, e])),
            (vertices[2], -orientation([a, b, d, e])),
            (vertices[3], orientation([a, b, c, e])),
            (index, -orientation([a, b, c, d])),
        ];
        slopes.sort_unstable_by_key(|&(vertex, _)| self.points[vertex as usize]);
        let first = slopes.iter().find(|&&(_, slope)| slope != 0);
        first.is_some_and(|&(_, slope)| slope < 0)
    }

    /// Drops what is dead.
    fn finish(self) -> Option<Mesh> {
        let mut number = vec![0; self.tetrahedra.len()];
        let mut count = 0;
        for (number, alive) in number.iter_mut().zip(&self.alive) {
            *number = count;
            count += u32::from(*alive);
        }
        let alive = self.tetrahedra.iter().zip(&self.alive);
        let tetrahedra: Vec<Tetrahedron> = alive
            .filter(|(_, alive)| **alive)
            .map(|(tetrahedron, _)| Tetrahedron {
                vertices: tetrahedron.vertices,
                neighbours: tetrahedron.neighbours.map(|n| number[n as usize]),
            })
            .collect();
        let first = tetrahedra
            .iter()
            .position(|t| !t.vertices.contains(&INFINITY))?;
        Some(Mesh {
            points: self.points,
            tetrahedra,
            first,
        })
    }
}

/// Six times the signed volume: det(a − d, b − d, c − d).
fn orientation([a, b, c, d]: [Point; 4]) -> i128 {
    determinant(minus(a, d), minus(b, d), minus(c, d))
}

fn determinant(a: Point, b: Point, c: Point) -> i128 {
    let [x, y, z] = cross(b, c);
    i128::from(a[0]) * x + i128::from(a[1]) * y + i128::from(a[2]) * z
}

fn cross(a: Point, b: Point) -> [i128; 3] {
    let of = |i: usize, j: usize| i128::from(a[i] * b[j] - a[j] * b[i]);
    [of(1, 2), of(2, 0), of(0, 1)]
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn finite(mesh: &Mesh) -> impl Iterator<Item = [Point; 4]> {
        let finite = mesh.tetrahedra.iter();
        finite
            .filter(|t| !t.vertices.contains(&INFINITY))
            .map(|t| t.vertices.map(|v| mesh.points[v as usize]))
    }

    #[test]
    fn a_cube_is_cut_whole() {
        let corners = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|c| c * 4));
        let mesh = Mesh::new(corners.collect()).expect("a cube spans space");
        let volume: i128 = finite(&mesh).map(orientation).sum();
        assert_eq!(volume, 6 * 64);
        assert!(finite(&mesh).all(|t| orientation(t) > 0));
        // The middle of an edge, half of each end.
        let around = mesh.locate([2, 0, 0]).expect("on the hull");
        let x: f64 = around
            .iter()
            .map(|&(v, w)| mesh.points[v][0] as f64 * w)
            .sum();
        assert_eq!(x, 2.0);
        assert!(mesh.locate([2, 2, 2]).is_some());
        assert!(mesh.locate([5, 0, 0]).is_none());
        assert!(mesh.locate([0, -1, 0]).is_none());
        assert!(mesh.locate([MAX_COORDINATE, 0, 0]).is_none());
    }

    #[test]
    fn a_plane_is_no_space() {
        let plane = (0..9).map(|i| [i / 3, i % 3, 7]).collect();
        assert!(Mesh::new(plane).is_none());
        assert!(Mesh::new(vec![]).is_none());
        assert!(Mesh::new(vec![[MAX_COORDINATE, 0, 0]]).is_none());
    }

    proptest! {
        #[test]
        fn delaunay_and_exact_for_linear_functions(
            points in proptest::collection::btree_set((0i64..6, 0i64..6, 0i64..6), 4..60),
            at in (0i64..6, 0i64..6, 0i64..6)
        ) {
            let points: Vec<Point> = points.iter().map(|&(x, y, z)| [x, y * 3, z * z * 10]).collect();
            let at = [at.0, at.1 * 3, at.2 * at.2 * 10];
            let all: BTreeSet<Point> = points.iter().copied().collect();
            let Some(mesh) = Mesh::new(points) else { return Ok(()); };
            for corners in finite(&mesh) {
                prop_assert!(orientation(corners) > 0);
                for &p in &all {
                    // Strictly inside would break Delaunay's condition; on the sphere would not.
                    let [ra, rb, rc, rd] = corners.map(|c| minus(c, p));
                    let lift = |p: Point| i128::from(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                    let inside = lift(rb) * determinant(ra, rc, rd) + lift(rd) * determinant(ra, rb, rc)
                        - lift(ra) * determinant(rb, rc, rd) - lift(rc) * determinant(ra, rb, rd);
                    prop_assert!(inside <= 0);
                }
            }
            for &p in &all {
                let around = mesh.locate(p).expect("a point of the mesh is in its hull");
                prop_assert!(around.iter().any(|&(v, w)| mesh.points[v] == p && w == 1.0));
            }
            if let Some(around) = mesh.locate(at) {
                let weight: f64 = around.iter().map(|(_, w)| w).sum();
                prop_assert!((weight - 1.0).abs() < 1e-12);
                for (axis, at) in at.iter().enumerate() {
                    let c: f64 = around.iter().map(|&(v, w)| mesh.points[v][axis] as f64 * w).sum();
                    prop_assert!((c - *at as f64).abs() < 1e-9);
                }
            }
            // The hull is tiled: total volume does not depend on the order of insertion.
            let mut reversed = mesh.points.clone();
            reversed.reverse();
            let again = Mesh::new(reversed).expect("the same points");
            let volume = |mesh: &Mesh| finite(mesh).map(orientation).sum::<i128>();
            prop_assert_eq!(volume(&mesh), volume(&again));
        }
    }
}

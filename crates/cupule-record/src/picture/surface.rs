//! Surfaces that are smooth where a body is, with sharp edges where it has them: the rule of the page
//! (`viewer/src/view/surface.ts`).

use cupule_geometry::DVec3;

/// Cosine of the largest angle between faces that are shaded as one.
const CREASE: f64 = 0.788;

/// Vertices split along the edges of the first shape, so that each corner has one normal.
#[derive(Debug)]
pub struct Split {
    /// Per corner the vertex it comes from.
    pub source: Vec<u32>,
    /// Triangles of corners.
    pub index: Vec<[u32; 3]>,
}

impl Split {
    /// Splits a shape.
    pub fn new(points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let mut fans: Vec<Vec<(DVec3, u32)>> = vec![Vec::new(); points.len()];
        let mut source = Vec::new();
        let index = triangles.iter().map(|triangle| {
            let normal = area_vector(points, triangle).normalize_or_zero();
            triangle.map(|vertex| {
                let fan = &mut fans[vertex as usize];
                let known =
                    fan.iter_mut().find(|(sum, _)| sum.dot(normal) >= CREASE * sum.length());
                if let Some((sum, corner)) = known {
                    *sum += normal;
                    return *corner;
                }
                let corner = source.len() as u32;
                source.push(vertex);
                fan.push((normal, corner));
                corner
            })
        });
        let index = index.collect();
        Self { source, index }
    }

    /// Normals of the corners of the shape as it is now; faces count by their area.
    pub fn corners(&self, points: &[DVec3]) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.source.len()];
        for corners in &self.index {
            let triangle = corners.map(|corner| self.source[corner as usize]);
            let area = area_vector(points, &triangle);
            corners.iter().for_each(|corner| normals[*corner as usize] += area);
        }
        normals.iter().map(|normal| normal.normalize_or_zero()).collect()
    }
}

fn area_vector(points: &[DVec3], triangle: &[u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|vertex| points[vertex as usize]);
    (b - a).cross(c - a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_angle_is_an_edge_and_a_slight_bend_is_not() {
        let points = [DVec3::ZERO, DVec3::Y, DVec3::X, -DVec3::Z, -DVec3::X - 0.2 * DVec3::Z];
        let edge = Split::new(&points, &[[0, 2, 1], [0, 1, 3]]);
        assert_eq!(edge.source.len(), 6);
        let bend = Split::new(&points, &[[0, 2, 1], [0, 1, 4]]);
        assert_eq!(bend.source.len(), 4);
        let normals = bend.corners(&points);
        assert!((normals[0] - normals[2]).length() < 1e-12, "both ends of the shared edge");
    }
}

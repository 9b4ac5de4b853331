//! Triangle surfaces by dimensions, closed and outward but for the sheet. Shapes stand centred at the origin with their axis along z,
//! except a revolved profile, which stays where its points are.

mod cuboid;
mod ellipsoids;
mod profile;
mod revolve;
mod sheet;
mod sphere;

pub(crate) use cuboid::check_cuboid;
pub use cuboid::cuboid;
pub use ellipsoids::{Ellipsoid, Ellipsoids};
pub(crate) use profile::counter_clockwise;
pub(crate) use revolve::{check_tube, subdivided};
pub use revolve::{cylinder, revolved, tube};
pub use sheet::flat_sheet;
pub use sphere::sphere;

use crate::GeometryError;

/// More elements than any use here has; above it a typing error would exhaust the memory.
pub(crate) const MOST_ELEMENTS: usize = 20_000_000;

/// Refuses a length that is not positive and finite.
pub(crate) fn require_positive(
    shape: &'static str,
    parameter: &'static str,
    value: f64,
) -> Result<(), GeometryError> {
    require(
        value > 0.0 && value.is_finite(),
        shape,
        parameter,
        value,
        "it must be a positive length",
    )
}

/// Refuses a count below `least`.
pub(crate) fn require_count(
    shape: &'static str,
    parameter: &'static str,
    count: usize,
    least: usize,
) -> Result<(), GeometryError> {
    let expected = match least {
        0 | 1 => "at least 1 is needed",
        2 => "at least 2 are needed",
        3 => "at least 3 are needed",
        _ => "at least 4 are needed",
    };
    require(count >= least, shape, parameter, count as f64, expected)?;
    let expected = "that many elements would not fit in memory";
    require(count <= MOST_ELEMENTS, shape, parameter, count as f64, expected)
}

/// Refuses a product of counts that would not fit in memory.
pub(crate) fn require_elements(shape: &'static str, counts: &[usize]) -> Result<(), GeometryError> {
    let total = counts.iter().try_fold(1_usize, |product, &count| product.checked_mul(count));
    let fits = total.is_some_and(|total| total <= MOST_ELEMENTS);
    let value = counts.iter().map(|&count| count as f64).product();
    require(fits, shape, "subdivisions in all", value, "that many elements would not fit in memory")
}

/// `Err(BadParameter)` unless `holds`.
pub(crate) fn require(
    holds: bool,
    shape: &'static str,
    parameter: &'static str,
    value: f64,
    expected: &'static str,
) -> Result<(), GeometryError> {
    if holds {
        Ok(())
    } else {
        Err(GeometryError::BadParameter { shape, parameter, value, expected })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::{DVec3, TriMesh};

    /// Observed order from errors at n and 2n: log2(e_n / e_2n).
    fn order(exact: f64, coarse: f64, fine: f64) -> f64 {
        ((exact - coarse) / (exact - fine)).log2()
    }

    #[test]
    fn box_has_exact_measures() {
        let mesh = cuboid(DVec3::new(1.0, 2.0, 3.0), [2, 3, 4]).unwrap();
        assert_eq!(mesh.check_closed(), Ok(()));
        assert!((mesh.signed_volume() - 6.0).abs() < 1e-14);
        assert!((mesh.area() - 22.0).abs() < 1e-13);
        // Lattice points on the boundary: all less the inner ones.
        assert_eq!(mesh.vertices.len(), 3 * 4 * 5 - 2 * 3);
        assert_eq!(mesh.bounds(), Some((DVec3::new(-0.5, -1.0, -1.5), DVec3::new(0.5, 1.0, 1.5))));
    }

    #[test]
    fn curved_shapes_converge_with_second_order() {
        let (r, h, inner) = (0.02, 0.05, 0.01);
        type Make = fn(usize) -> TriMesh;
        let makers: [(&str, Make, f64, f64); 3] = [
            ("sphere", |n| sphere(0.02, n).unwrap(), 4.0 / 3.0 * PI * r * r * r, 4.0 * PI * r * r),
            (
                "cylinder",
                |n| cylinder(0.02, 0.05, 3 * n, n, n).unwrap(),
                PI * r * r * h,
                2.0 * PI * r * (r + h),
            ),
            (
                "tube",
                |n| tube(0.01, 0.02, 0.05, 3 * n, n, n).unwrap(),
                PI * (r * r - inner * inner) * h,
                2.0 * PI * (r + inner) * (h + r - inner),
            ),
        ];
        for (name, make, volume, area) in makers {
            let (coarse, fine) = (make(8), make(16));
            assert_eq!(coarse.check_closed(), Ok(()), "{name}");
            assert_eq!(fine.check_closed(), Ok(()), "{name}");
            let orders = [
                order(volume, coarse.signed_volume(), fine.signed_volume()),
                order(area, coarse.area(), fine.area()),
            ];
            println!("{name}: order of volume and area {orders:.3?}");
            assert!(orders.iter().all(|o| (1.9..2.1).contains(o)), "{name}: {orders:?}");
        }
    }

    #[test]
    fn a_revolved_triangle_is_a_cone_either_way_round() {
        let profile = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]];
        let backwards = [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]];
        let n = 12;
        let step = 2.0 * PI / n as f64;
        let base_area = 0.5 * n as f64 * step.sin();
        for points in [profile, backwards] {
            let cone = revolved(&points, n).unwrap();
            assert_eq!(cone.check_closed(), Ok(()));
            assert_eq!(cone.vertices.len(), n + 2);
            assert!((cone.signed_volume() - base_area * 2.0 / 3.0).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_parameters_are_refused_by_name() {
        let named = |result: Result<TriMesh, GeometryError>| match result {
            Err(GeometryError::BadParameter { parameter, .. }) => parameter,
            other => panic!("expected a bad parameter, got {other:?}"),
        };
        assert_eq!(named(cuboid(DVec3::new(1.0, -1.0, 1.0), [1; 3])), "size y");
        assert_eq!(named(cuboid(DVec3::ONE, [1, 0, 1])), "subdivisions along y");
        assert_eq!(named(cuboid(DVec3::ONE, [usize::MAX, 1, 1])), "subdivisions along x");
        assert_eq!(named(cuboid(DVec3::ONE, [100_000, 100_000, 1])), "subdivisions in all");
        assert_eq!(named(sphere(f64::NAN, 4)), "radius");
        assert_eq!(named(sphere(1.0, 0)), "subdivisions");
        assert_eq!(named(cylinder(1.0, 1.0, 2, 1, 1)), "segments around");
        assert_eq!(named(tube(2.0, 1.0, 1.0, 8, 1, 1)), "inner radius");
        assert_eq!(named(revolved(&[[0.0, 0.0], [1.0, 0.0]], 8)), "profile points");
        assert_eq!(named(revolved(&[[0.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], 8)), "profile radius");
        let crossing = [[1.0, 0.0], [2.0, 1.0], [2.0, 0.0], [1.0, 1.0]];
        assert_eq!(named(revolved(&crossing, 8)), "profile edge");
        assert_eq!(named(revolved(&[[1.0, 0.0], [1.0, 0.0], [2.0, 1.0]], 8)), "profile point");
        assert_eq!(named(revolved(&[[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]], 8)), "profile edge");
    }
}

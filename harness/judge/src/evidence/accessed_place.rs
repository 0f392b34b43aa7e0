//! The texels that a row of a case accessed.

use warpdiff_corpus::plan::{PlannedLaunch, Row};
use warpdiff_model::Axis;

use crate::mismatch_class::surface_named;
use crate::site::Site;

/// Texels that a row accessed, by its coordinates. They may lie outside of the surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessedPlace {
    /// Index of the row in the case, from 0.
    pub row: usize,
    /// Name of the surface.
    pub surface: String,
    /// The first texel along x.
    pub x: i64,
    /// Texels along x, at least 1.
    pub count: i64,
    /// Row of texels.
    pub y: i64,
    /// z of a 3d surface, or the layer of an array.
    pub slice: i64,
}

impl AccessedPlace {
    /// The texels that a row accessed with this instruction, if the surface and x are known.
    pub fn of(planned: &PlannedLaunch, site: &Site, row: &Row) -> Option<Self> {
        let target = site.target.as_ref()?;
        let surface = surface_named(planned, &target.surface)?;
        let values = target.values(surface.geometry, Some(row));
        let along = |axis: Axis| values.iter().find(|(a, _)| *a == axis).map(|(_, value)| *value);
        let x = along(Axis::X)?;
        let texel = i64::from(surface.format.texel_size().max(1));
        let (first, count) = match site.x_in_bytes {
            true => {
                let first = x.div_euclid(texel);
                let end = x + i64::from(site.access.max(1));
                (first, (end - 1).div_euclid(texel) - first + 1)
            }
            false => (x, 1),
        };
        Some(Self {
            row: row.index,
            surface: surface.name.clone(),
            x: first,
            count,
            y: along(Axis::Y).unwrap_or(0),
            slice: along(Axis::Layer).or(along(Axis::Z)).unwrap_or(0),
        })
    }
}

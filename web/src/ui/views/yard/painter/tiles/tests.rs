use super::grid::MOST_CELLS;
use super::*;
use switchyard::cluster::ClusterSpec;

fn tiling(cluster: &str, room: Size<World>, ratio: Ratio) -> Tiling {
    let cluster: ClusterSpec = cluster.parse().expect("a cluster");
    let lines = if cluster.tree().sockets.is_some() {
        LinkLines::Sockets
    } else {
        LinkLines::None
    };
    let inside = Inside::of(&cluster, lines);
    Tiling::new(&Floor::of(&cluster), inside, room, ratio)
}

#[test]
fn a_million_gpus_are_few_cells_that_hold_every_node() {
    let room = Size::new(800.0, 480.0);
    let whole = tiling("15625x64", room, Ratio(1.0));
    for scale in [1.0, 1.5, 8.0] {
        let plane = Plane {
            scale,
            ..Plane::WHOLE
        };
        let grid = whole.seen(&plane, Point::default());
        for node in (0..15_625).step_by(7) {
            let unit = grid.unit_of(node);
            assert!((unit as usize) < grid.units());
            let (tile, cell) = (grid.tile(node), grid.unit(unit));
            assert!(cell.grown(1.0).contains(tile.corner()), "{tile:?} {cell:?}");
        }
        if scale == 1.0 {
            assert!(grid.units() <= MOST_CELLS && grid.units() > MOST_CELLS / 5);
        }
    }
}

/// Tiles of rows and columns next to each other do not overlap, cells lie inside their tile.
fn check(grid: &Grid, gpus: u32, area: Option<&Rect>) {
    let nodes = grid.tiling.corners.len() as u32;
    let in_row = |&node: &u32| grid.tile(node).y == grid.tile(0).y;
    let columns = (0..nodes).take_while(in_row).count() as u32;
    for node in 0..nodes {
        let tile = grid.tile(node);
        assert!(tile.w >= 1.0 && tile.h >= 1.0, "{tile:?}");
        if let Some(area) = area {
            assert!(tile.x >= area.x && tile.y >= area.y, "{tile:?} {area:?}");
            assert!(
                tile.right() <= area.right() && tile.bottom() <= area.bottom(),
                "{tile:?} {area:?}"
            );
        }
        for next in [node + 1, node + columns]
            .into_iter()
            .filter(|&next| next < nodes)
        {
            assert!(!tile.overlaps(&grid.tile(next)), "{node} {next}");
        }
    }
    let tile = grid.tile(0);
    for gpu in 0..gpus {
        let cell = grid.cell(0, gpu);
        assert!(tile.contains(cell.corner()), "{tile:?}");
        assert!(
            cell.right() <= tile.right() && cell.bottom() <= tile.bottom(),
            "{tile:?}"
        );
        if grid.look.detail != Detail::Density && gpu > 0 {
            assert!(!cell.overlaps(&grid.cell(0, gpu - 1)));
        }
    }
}

#[test]
fn any_cluster_fits_any_canvas() {
    for (width, height) in [
        (200.0, 110.0),
        (390.0, 300.0),
        (640.0, 480.0),
        (1280.0, 90.0),
        (1900.0, 900.0),
    ] {
        for ratio in [1.0, 1.25, 2.0] {
            for nodes in (1..=64).chain((65..=4000).step_by(131)).chain([4000]) {
                for gpus in [1, 4, 8, 16, 64] {
                    let (w, h): (f64, f64) = (width * ratio, height * ratio);
                    let room = Size::new(w.floor(), h.floor());
                    let tiling = tiling(&format!("{nodes}x{gpus}"), room, Ratio(ratio));
                    let area = Rect::new(7.0, 9.0, w.floor(), h.floor());
                    check(
                        &tiling.seen(&Plane::WHOLE, area.corner()),
                        gpus,
                        Some(&area),
                    );
                }
            }
        }
    }
}

#[test]
fn racks_and_groups_stand_apart_in_any_room() {
    for (width, height) in [
        (200.0, 110.0),
        (390.0, 300.0),
        (640.0, 480.0),
        (1900.0, 900.0),
    ] {
        for (cluster, sections, halls) in [
            ("16x4/racks=4", 4, 1),
            ("128x8/partitions=4/racks=16", 16, 4),
            ("4096x8/partitions=8/racks=128", 128, 8),
            ("6x4:t4+3x8:rtx2080ti+2x8:a100", 3, 1),
        ] {
            let tiling = tiling(cluster, Size::new(width, height), Ratio(1.0));
            let area = Rect::new(7.0, 9.0, width, height);
            let grid = tiling.seen(&Plane::WHOLE, area.corner());
            check(&grid, 4, Some(&area));
            assert_eq!(
                (tiling.sections.len(), tiling.halls.len()),
                (sections, halls)
            );
            for (node, &section) in (0..).zip(&tiling.section_of) {
                let (tile, around) = (grid.tile(node), grid.section(section as usize));
                assert!(around.contains(tile.corner()), "{cluster} {node}");
                assert!(tile.bottom() <= around.bottom() && tile.right() <= around.right());
            }
            for section in 1..sections {
                assert!(!grid.section(section).overlaps(&grid.section(section - 1)));
            }
        }
    }
}

#[test]
fn gpus_of_a_socket_stand_together() {
    for (width, height) in [(390.0, 300.0), (1440.0, 500.0), (1900.0, 900.0)] {
        let tiling = tiling("6x8/sockets=2", Size::new(width, height), Ratio(1.0));
        let grid = tiling.seen(&Plane::WHOLE, Point::new(0.0, 0.0));
        let [first, second] = [0b1111, 0b1111_0000].map(|mask| grid.bounds(3, mask));
        let apart = second.x - first.right();
        assert!(apart > grid.look.gap, "{first:?} {second:?}");
        assert_eq!((first.y, first.w), (second.y, second.w));
        let mut slabs = Vec::new();
        assert!(grid.slabs(3, 8, |slab| slabs.push(*slab)));
        assert_eq!(slabs, [first, second]);
    }
    // Nodes that are not alike, and those of which nothing is told, have no groups.
    for cluster in ["2x8+2x4/sockets=2", "4x8", "4x6/sockets=4"] {
        let cluster: ClusterSpec = cluster.parse().expect("a cluster");
        assert_eq!(Inside::of(&cluster, LinkLines::None).groups, 1, "{cluster}");
    }
}

#[test]
fn what_is_too_small_to_be_seen_is_merged() {
    let text = "4096x8/partitions=8/racks=128";
    let large = tiling(text, Size::new(1800.0, 900.0), Ratio(1.0));
    let corner = Point::new(0.0, 0.0);
    assert!(!large.seen(&Plane::WHOLE, corner).is_merged());
    let small = tiling(text, Size::new(250.0, 140.0), Ratio(1.0));
    let grid = small.seen(&Plane::WHOLE, corner);
    assert!(grid.is_merged());
    assert!(grid.units() == 128 || grid.units() == 8);
    assert!(
        !small
            .seen(&Plane::WHOLE.zoomed(corner, corner, 8.0), corner)
            .is_merged()
    );
}

#[test]
fn zooming_shows_more_and_keeps_tiles_apart() {
    let tiling = tiling("2000x4", Size::new(600.0, 300.0), Ratio(1.0));
    let mut detail = tiling.look.detail;
    for scale in [1.3, 2.0, 3.7, 9.0, 16.0] {
        let grid = tiling.seen(
            &Plane {
                scale: tiling.crisp(scale),
                x: 31.0,
                y: 17.4,
            },
            Point::new(0.0, 40.0),
        );
        check(&grid, 4, None);
        assert!(grid.look.detail >= detail);
        detail = grid.look.detail;
    }
    assert_eq!(detail, Detail::Labelled);
}

#[test]
fn points_find_the_cell_that_is_drawn_there() {
    for (nodes, gpus) in [(8, 4), (144, 8), (700, 3)] {
        let room = Size::new(800.0, 500.0);
        let tiling = tiling(&format!("{nodes}x{gpus}"), room, Ratio(2.0));
        let (about, corner) = (Point::new(103.0, 140.0), Point::new(3.0, 40.0));
        let grid = tiling.seen(&Plane::WHOLE.zoomed(about, corner, 1.7), corner);
        for node in (0..nodes).step_by(7) {
            for gpu in 0..gpus {
                let cell = grid.cell(node, gpu);
                let found = grid.at(cell.middle());
                let whole = grid.look.detail == Detail::Density;
                assert_eq!(found, Some((node, (!whole).then_some(gpu))));
            }
        }
        assert_eq!(grid.at(Point::new(-500.0, 0.0)), None);
    }
}

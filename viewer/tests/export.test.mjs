// Exports in the readers of others: VTK's own for .vtu, Khronos' validator for .glb.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { validateBytes } from "gltf-validator";
import { cupule, makeRun, simulate } from "./browser.mjs";

const python = process.env.CUPULE_PYTHON ?? "python3";
const hasVtk = (() => {
  try {
    execFileSync(python, ["-c", "import vtk"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

let runs = [];
before(() => {
  runs = [simulate("lift", "--duration", "1.2"), makeRun("plain"), makeRun("hostile"), makeRun("empty")];
});

test("a glb is sound and animated", async () => {
  for (const run of runs) {
    cupule("export", run, "--to", "glb");
    const report = await validateBytes(new Uint8Array(readFileSync(join(run, "run.glb"))), { maxIssues: 100 });
    const serious = report.issues.messages.filter(({ severity }) => severity <= 1);
    assert.deepEqual(serious, [], run);
    assert.equal(report.info.animationCount, run.endsWith("empty") ? 0 : 1, run);
  }
});

const READ = `
import sys, json, vtk
from vtk.util.numpy_support import vtk_to_numpy
def read(name):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(name)
    reader.Update()
    grid = reader.GetOutput()
    arrays = {}
    for where, data in (("point", grid.GetPointData()), ("cell", grid.GetCellData())):
        for i in range(data.GetNumberOfArrays()):
            array = data.GetArray(i)
            values = vtk_to_numpy(array)
            good = values[values == values]
            arrays[array.GetName()] = [where, list(values.shape), float(good.max()) if good.size else None]
    names = grid.GetFieldData().GetAbstractArray("body_names")
    names = [names.GetValue(i) for i in range(names.GetNumberOfValues())] if names else None
    time = grid.GetFieldData().GetArray("TimeValue").GetValue(0)
    bounds = list(grid.GetBounds()) if grid.GetNumberOfPoints() else None
    kinds, volumes = {}, []
    for i in range(grid.GetNumberOfCells()):
        kinds[grid.GetCellType(i)] = kinds.get(grid.GetCellType(i), 0) + 1
    if any(kind >= 10 for kind in kinds):
        sizes = vtk.vtkCellSizeFilter()
        sizes.SetInputData(grid)
        sizes.Update()
        volumes = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume")).tolist()
    return dict(kinds=kinds, volume=sum(volumes), least=min(volumes, default=0), points=grid.GetNumberOfPoints(), cells=grid.GetNumberOfCells(), arrays=arrays, names=names, time=time, bounds=bounds)
print(json.dumps([read(name) for name in sys.argv[1:]]))
`;

test("VTK reads a vtu series with all its fields", { skip: hasVtk ? false : "no Python with vtk: see scripts/test-pages" }, () => {
  const [run] = runs;
  cupule("export", run, "--to", "vtu");
  const list = readFileSync(join(run, "vtu/bodies.pvd"), "utf8");
  const files = [...list.matchAll(/timestep="([^"]*)" part="0" file="([^"]*)"/g)];
  assert.ok(files.length > 50);
  for (const [, , file] of files) assert.ok(existsSync(join(run, "vtu", file)), file);
  const [, time, last] = files.at(-1);
  const names = [last, ...["contacts", "cavities", "cells"].map((name) => last.replace("bodies", name))];
  const text = execFileSync(python, ["-c", READ, ...names.map((name) => join(run, "vtu", name))], { encoding: "utf8" });
  const [bodies, contacts, cavities, cells] = JSON.parse(text);
  assert.deepEqual(bodies.names, ["block", "cup", "ground"]);
  assert.equal(bodies.time, Number(time));
  assert.deepEqual(bodies.arrays.displacement_m.slice(0, 2), ["point", [bodies.points, 3]]);
  for (const field of ["von_mises_Pa", "contact_pressure_Pa", "cavity"]) {
    assert.deepEqual(bodies.arrays[field].slice(0, 2), ["point", [bodies.points]]);
    assert.ok(bodies.arrays[field][2] > 0, field);
  }
  assert.equal(bodies.arrays.body[2], 2);
  // The cup's elements: hexahedra that enclose something, with the stress at every node.
  assert.deepEqual(Object.keys(cells.kinds), ["12"]);
  assert.ok(cells.volume > 1e-7 && cells.least > 0, "no cell is inside out");
  assert.deepEqual(cells.arrays.von_mises_Pa.slice(0, 2), ["point", [cells.points]]);
  assert.ok(cells.arrays.von_mises_Pa[2] > 0);
  assert.deepEqual(cells.names, bodies.names);
  assert.ok(bodies.bounds[4] < -0.019 && bodies.bounds[5] > 0.04, "z is up");
  assert.ok(contacts.points > 0 && contacts.points === contacts.cells);
  assert.ok(cavities.cells > 0 && cavities.arrays.cavities_Pa[2] < 110e3);
});

test("OBJ and CSV have a file a frame", () => {
  const [run] = runs;
  for (const [to, first] of [["obj", "frame_00000.obj"], ["csv", "points_00000.csv"]]) {
    const printed = cupule("export", run, "--to", to);
    assert.match(printed, /\(\d+ files\)/);
    assert.ok(existsSync(join(run, to, first)));
  }
});

// QR codes (ISO/IEC 18004) for texts up to 213 bytes: byte mode, versions 1 to 10, error correction M, mask 0.

/** Rows of modules; true means dark. */
type Modules = readonly (readonly boolean[])[];
type Grid = (boolean | undefined)[][];

/** Check bytes per block for each version; below, the number of blocks. */
const CHECKS = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26] as const;
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5] as const;
/** The format bits for correction M and mask 0, with their own check bits and mask as in the standard. */
const FORMAT = 0x5412;
const PADS = [0xec, 0x11] as const;

/** The QR code of a text; undefined if it is too long. */
export function qrOf(text: string): Modules | undefined {
  const bytes = [...new TextEncoder().encode(text)];
  const version = CHECKS.findIndex((_, at) => bytes.length <= roomOf(at + 1)) + 1;
  if (version === 0) return undefined;
  const grid = frameOf(version);
  fill(grid, interleaved(version, dataOf(version, bytes)));
  return grid as Modules;
}

const countBytes = (version: number) => (version < 10 ? 1 : 2);

function codewordsOf(version: number): number {
  const marks = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const marked = marks === 0 ? 0 : (25 * marks - 10) * marks - 55;
  return ((16 * version + 128) * version + 64 - marked - (version >= 7 ? 36 : 0)) >> 3;
}

const dataBytesOf = (version: number) => codewordsOf(version) - CHECKS[version - 1]! * BLOCKS[version - 1]!;
/** The mode takes four bits, and so does the end of the text. */
const roomOf = (version: number) => dataBytesOf(version) - countBytes(version) - 1;

/** Mode, length, text and padding. */
function dataOf(version: number, bytes: readonly number[]): readonly number[] {
  const count = countBytes(version) === 1 ? [bytes.length] : [bytes.length >> 8, bytes.length & 255];
  const whole = [...count, ...bytes];
  const shifted = [
    0x40 | (whole[0]! >> 4),
    ...whole.map((byte, at) => ((byte << 4) & 255) | ((whole[at + 1] ?? 0) >> 4)),
  ];
  const padding = Array.from({ length: dataBytesOf(version) - shifted.length }, (_, at) => PADS[at % 2]!);
  return [...shifted, ...padding];
}

/** Interleaves the blocks, one byte of each in turn, and then their check bytes. */
function interleaved(version: number, data: readonly number[]): readonly number[] {
  const [count, checks] = [BLOCKS[version - 1]!, CHECKS[version - 1]!];
  const short = Math.floor(data.length / count);
  const longs = data.length % count;
  const blocks = Array.from({ length: count }, (_, at) => {
    const start = at * short + Math.max(0, at - (count - longs));
    return data.slice(start, start + short + (at >= count - longs ? 1 : 0));
  });
  const divisor = divisorOf(checks);
  return [...across(blocks), ...across(blocks.map((block) => remainderOf(block, divisor)))];
}

function across(lists: readonly (readonly number[])[]): readonly number[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** Multiplies in the field of 256 elements that the standard defines. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((other >> bit) & 1) * one;
  }
  return product;
}

function divisorOf(degree: number): readonly number[] {
  const divisor = Array.from<unknown, number>({ length: degree }, (_, at) => (at === degree - 1 ? 1 : 0));
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) divisor[at] = multiply(divisor[at]!, root) ^ (divisor[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return divisor;
}

function remainderOf(data: readonly number[], divisor: readonly number[]): readonly number[] {
  let rest = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ rest[0]!;
    rest = divisor.map((term, at) => (rest[at + 1] ?? 0) ^ multiply(term, factor));
  }
  return rest;
}

/** The patterns by which scanners find a code. Modules for the text are undefined. */
function frameOf(version: number): Grid {
  const size = version * 4 + 17;
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }));
  const set = (x: number, y: number, isDark: boolean) => {
    if (grid[y] !== undefined && x >= 0 && x < size) grid[y][x] = isDark;
  };
  const square = (x: number, y: number, reach: number, isDark: (ring: number) => boolean) => {
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1) set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
  const places = markPlaces(version, size);
  const last = places.length - 1;
  for (const [row, y] of places.entries())
    for (const [column, x] of places.entries()) {
      const isCorner = (row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0);
      if (!isCorner) square(x, y, 2, (ring) => ring !== 1);
    }
  drawFormat(set, size);
  if (version >= 7) drawVersion(set, version, size);
  return grid;
}

/** The rows and columns of the alignment patterns. */
function markPlaces(version: number, size: number): readonly number[] {
  if (version === 1) return [];
  if (version < 7) return [6, size - 7];
  return [6, Math.floor((size - 1) / 2), size - 7];
}

type SetModule = (x: number, y: number, isDark: boolean) => void;

function drawFormat(set: SetModule, size: number): void {
  for (let at = 0; at < 15; at += 1) {
    const isDark = ((FORMAT >> at) & 1) === 1;
    // One copy goes around the first corner, skipping the timing lines; the other goes along the remaining corners.
    if (at < 8) set(8, at < 6 ? at : at + 1, isDark);
    else set(at === 8 ? 7 : 14 - at, 8, isDark);
    if (at < 8) set(size - 1 - at, 8, isDark);
    else set(8, size - 15 + at, isDark);
  }
  set(8, size - 8, true);
}

function drawVersion(set: SetModule, version: number, size: number): void {
  let rest = version;
  for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at += 1) {
    const isDark = ((bits >> at) & 1) === 1;
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(far, near, isDark);
    set(near, far, isDark);
  }
}

/** Writes the bytes in pairs of columns, up and down from the right, with a chessboard mask. */
function fill(grid: Grid, bytes: readonly number[]): void {
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    // Column 6 is a timing line.
    if (right === 6) right = 5;
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUp ? size - 1 - step : step;
        if (grid[y]![x] !== undefined) continue;
        const isSet = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        grid[y]![x] = isSet !== ((x + y) % 2 === 0);
        bit += 1;
      }
  }
}

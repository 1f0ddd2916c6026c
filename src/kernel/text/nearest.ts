/** Words that only state the kind of a value: somebody who writes `account` means `account_id`. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['id', 'id'],
  ['ids', 'id'],
  ['at', 'time'],
  ['date', 'time'],
  ['for', 'time'],
  ['on', 'time'],
  ['time', 'time'],
]);

type Parts = Readonly<{ whole: string; core: string; kind: string | undefined }>;

/** The names that a misspelt name most likely means; empty if none is near, as a wrong suggestion does harm. */
export function nearestNames(wrong: string, names: Iterable<string>): readonly string[] {
  if (wrong.length > 64) return [];
  const wanted = partsOf(wrong);
  const near = [...names]
    .map((name) => ({ name, ...distance(wanted, partsOf(name)) }))
    .filter(({ edits }) => edits !== Infinity)
    .toSorted((a, b) => a.edits - b.edits || a.whole - b.whole);
  const [first] = near;
  return near
    .filter(({ edits, whole }) => edits === first!.edits && whole === first!.whole)
    .slice(0, 3)
    .map(({ name }) => name);
}

function partsOf(name: string): Parts {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const kind = KINDS.get(words.at(-1) ?? '');
  return { whole: words.join(''), core: (kind === undefined ? words : words.slice(0, -1)).join(''), kind };
}

function distance(wanted: Parts, other: Parts): Readonly<{ edits: number; whole: number }> {
  const whole = editsBetween(wanted.whole, other.whole);
  const isComparable = wanted.kind === undefined || other.kind === undefined || wanted.kind === other.kind;
  const cores = isComparable && wanted.core !== '' && other.core !== '' ? near(wanted.core, other.core) : Infinity;
  return { edits: Math.min(near(wanted.whole, other.whole), cores), whole };
}

/** The edit distance, or Infinity if it is too large for the lengths of the texts. */
function near(a: string, b: string): number {
  const length = Math.max(a.length, b.length);
  const edits = editsBetween(a, b);
  const most = length < 6 ? 1 : 2;
  return edits <= (length < 3 ? 0 : most) ? edits : Infinity;
}

/** The number of letters that were added, omitted, replaced or swapped with their neighbour. */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        ...(row > 1 && column > 1 && swapped ? [before[column - 2]! + 1] : []),
      );
    }
    [before, last] = [last, current];
  }
  return last[b.length]!;
}

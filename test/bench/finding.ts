/** One line of the report: what was asked for, what was seen. */
export type Finding = Readonly<{
  what: string;
  aim?: string | undefined;
  measured: string;
  /** The same in processor time, which other work on the machine disturbs less. */
  cpu?: string | undefined;
  /** Absent where nothing is asked for. */
  verdict?: 'holds' | 'MISSED' | 'unsure' | undefined;
  /** How it was measured, and how much the rounds differed. */
  note?: string | undefined;
}>;

/** How one server stands to another: by speed, and by processor time where the system tells. */
export type Ratio = Readonly<{ speed: number; cpu: number | undefined }>;

export type Judged = Pick<Finding, 'aim' | 'measured' | 'cpu' | 'verdict'>;

/** A ratio that should be at least so much. */
export function atLeast(aim: number, ratio: Ratio, digits = 2): Judged {
  return { aim: `≥ ${aim}`, ...shown(ratio, digits), verdict: verdictOf(ratio, (value) => value >= aim) };
}

/** A ratio that should be at most so much. */
export function atMost(aim: number, ratio: Ratio, digits = 2): Judged {
  return { aim: `≤ ${aim}`, ...shown(ratio, digits), verdict: verdictOf(ratio, (value) => value <= aim) };
}

/** A ratio nobody asked for. */
export function shown({ speed, cpu }: Ratio, digits = 2): Pick<Finding, 'measured' | 'cpu'> {
  return { measured: speed.toFixed(digits), cpu: cpu?.toFixed(digits) };
}

/** A number that should be at most so much. */
export function within(aim: number, value: number, unit = ''): Judged {
  return { aim: `≤ ${aim}${unit}`, measured: `${value.toFixed(0)}${unit}`, verdict: value <= aim ? 'holds' : 'MISSED' };
}

/** A number that should be at least so much. */
export function reaching(aim: number, value: number, unit = ''): Judged {
  return { aim: `≥ ${aim}${unit}`, measured: `${value.toFixed(0)}${unit}`, verdict: value >= aim ? 'holds' : 'MISSED' };
}

/** On a machine with other things to do the two measures may disagree, and then nothing is known. */
function verdictOf({ speed, cpu = speed }: Ratio, holds: (value: number) => boolean): Finding['verdict'] {
  if (holds(speed) !== holds(cpu)) return 'unsure';
  return holds(speed) ? 'holds' : 'MISSED';
}

/** The middle value; of an even number of them the higher one. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** The smallest and the largest value, in a few characters. */
export function range(values: readonly number[], digits = 2): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}

/** Lays findings out as a table; the notes stand below their line. */
export function tableOf(title: string, findings: readonly Finding[]): string {
  const rows = findings.map(({ what, aim = '', measured, cpu = '', verdict = '' }) => [
    what,
    aim,
    measured,
    cpu,
    verdict,
  ]);
  const all = [[title, 'aim', 'measured', 'by CPU', ''], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  return lines.flatMap((line, index) => [line, ...noteOf(findings[index - 1])]).join('\n');
}

const noteOf = (finding: Finding | undefined) => (finding?.note === undefined ? [] : [`    ${finding.note}`]);

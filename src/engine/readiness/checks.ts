/** The result of a check: nothing to do, a problem to expect, or something that does not work. */
export type Verdict = 'ok' | 'warning' | 'failure';

/** A check as one line: its subject, its result, and what to do. */
export type CheckResult = Readonly<{ check: string; verdict: Verdict; found: string; todo?: string }>;

export const ok = (check: string, found: string): CheckResult => ({ check, verdict: 'ok', found });
export const warning = (check: string, found: string, todo: string): CheckResult => ({
  check,
  verdict: 'warning',
  found,
  todo,
});
export const failure = (check: string, found: string, todo: string): CheckResult => ({
  check,
  verdict: 'failure',
  found,
  todo,
});

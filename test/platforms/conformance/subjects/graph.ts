import type { GraphFailed } from '#platforms/graph/errors.ts';
import type { ErrorTable } from '#platforms/shared/errors.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import type { Probe, Refresh } from '../subject.ts';

/** A Graph error as the platform words it. */
export const graphError = ({ status, code, subcode, text, isTransient }: GraphFailed): Instead =>
  jsonAnswer(status, {
    error: { message: text, type: 'OAuthException', code, error_subcode: subcode, is_transient: isTransient },
  });

/** An error that no row lists. */
export const FAILED: GraphFailed = {
  status: 400,
  name: '',
  code: 1,
  subcode: undefined,
  text: 'no',
  isTransient: false,
};

/** What a platform refuses with a number that nobody has heard of. */
export const UNLISTED = graphError({ ...FAILED, code: 999_999, subcode: 2_299_999, text: 'Strange' });

/** Long-lived tokens live for 60 days, and are renewed without the person. */
export const LONG_LIVED: Refresh = { method: 'GET refresh_access_token', dueMs: 48 * 24 * 3_600_000 };

/** The rows of a Graph API, and those of its own that a text tells apart. */
export const graphProbe = (table: ErrorTable<GraphFailed>, ask: Probe['ask'], texts: readonly string[] = []): Probe =>
  probeOf(table, {
    samples: [
      ...texts.map((text) => ({ ...FAILED, text })),
      ...samplesOf(table.rows, FAILED),
      { ...FAILED, isTransient: true },
      { ...FAILED, code: 299 },
    ],
    answer: graphError,
    ask,
  });

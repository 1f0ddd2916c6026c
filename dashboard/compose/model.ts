import { computed } from '@preact/signals';
import type { Say } from '../lib/acting.ts';
import { makeCheck } from './parts/check.ts';
import { makeFollowing } from './parts/following.ts';
import { metersOf } from './rules.ts';
import { makeNextTime } from './parts/next-time.ts';
import { makeOwning } from './parts/owning.ts';
import { makeSending, type SendingDeps } from './parts/sending.ts';
import { makeSplitting } from './parts/splitting.ts';
import { isEditable, makeState, type StateDeps } from './parts/state.ts';
import { makeWriting } from './parts/writing.ts';

type ComposerDeps = StateDeps &
  SendingDeps &
  Readonly<{
    say: Say;
    /** Loads how platforms count, unless that is there. */
    loadCounting(): Promise<void>;
    /** The requested time, which takes precedence over that of a stored draft. */
    at: string | undefined;
    /** Debounced: storing on this device, checking on the server, reacting to changes. */
    later: Readonly<Record<'keep' | 'check' | 'hear', (run: () => void) => void>>;
  }>;

export function makeComposer({ at, later, ...deps }: ComposerDeps) {
  const { call, altNames, start, shelf, say } = deps;
  const state = makeState(deps);
  const { draft, post, targets, byId } = state;
  const { issues, faults, check } = makeCheck({
    call,
    altNames,
    draft,
    destinations: byId,
    targets,
    later: later.check,
  });
  const { restore, ...writing } = makeWriting({
    state,
    start,
    at,
    shelf,
    check,
    say,
    now: deps.now,
    later: later.keep,
  });
  const sending = makeSending(deps, state, { faults, keepNow: writing.keepNow });
  const following = makeFollowing({
    call,
    state,
    shelf,
    isBusy: sending.isBusy,
    check,
    say,
    write: writing.write,
    later: later.hear,
  });
  const owning = makeOwning({ draft, zone: deps.zone, write: writing.write, say });
  const nextTime = makeNextTime({ call, state, isBusy: sending.isBusy, write: writing.write });
  const splitting = makeSplitting({ state, write: writing.write, say, loadCounting: deps.loadCounting });
  restore();
  return {
    draft: computed(() => draft.value),
    post: computed(() => post.value),
    targets,
    destinations: state.destinations,
    whenOf: state.whenOf,
    issues,
    faults,
    meters: computed(() => metersOf(draft.value, targets.value)),
    elsewhere: computed(() => state.elsewhere.value),
    isRestored: computed(() => state.isRestored.value),
    keeping: computed(() => state.keeping.value),
    problem: computed(() => state.problem.value),
    isEditable: computed(() => isEditable(post.value)),
    ...writing,
    ...sending,
    ...following,
    ...owning,
    ...nextTime,
    ...splitting,
  };
}

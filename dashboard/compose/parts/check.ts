import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Call } from '../../lib/call.ts';
import { contentOf, isBlank, type AltNames, type Draft } from '../draft.ts';
import { besides, localIssues, type Destination, type Issue } from '../rules.ts';

type CheckDeps = Readonly<{
  call: Call;
  altNames: AltNames;
  draft: ReadonlySignal<Draft>;
  destinations: ReadonlySignal<ReadonlyMap<string, Destination>>;
  targets: ReadonlySignal<readonly Destination[]>;
  later(run: () => void): void;
}>;

/** The issues of a draft: those found here at once, those from the server a moment later. */
export function makeCheck({ call, altNames, draft, destinations, targets, later }: CheckDeps) {
  const found = signal<readonly Issue[]>([]);
  const local = computed(() => localIssues(draft.value, targets.value));
  const issues = computed(() => (isBlank(draft.value) ? [] : [...local.value, ...besides(found.value, local.value)]));

  async function validate(): Promise<void> {
    const asked = draft.value;
    if (targets.value.length === 0 || isBlank(asked)) {
      found.value = [];
      return;
    }
    const answer = await call('validate_post', contentOf(asked, destinations.value, altNames)).catch(() => undefined);
    // The draft has changed during the request, and the new text gets a check of its own.
    if (draft.value !== asked) return;
    const of = (list: Reported = [], isWarning: boolean) => list.map((one) => issueOf(one, isWarning));
    found.value = besides([...of(answer?.errors, false), ...of(answer?.warnings, true)], local.value);
  }

  type Reported = Awaited<ReturnType<typeof call<'validate_post'>>>['errors'];

  function issueOf({ platform, field, message, target, segment_index: part }: Reported[number], isWarning: boolean) {
    const id = targets.value.find(({ accountId }) => accountId === target)?.id;
    return { id, platform, field, message, part, isWarning } satisfies Issue;
  }

  return {
    issues,
    /** Issues that must be corrected; warnings do not count. */
    faults: computed(() => issues.value.filter(({ isWarning }) => !isWarning)),
    check: () => later(() => void validate()),
  };
}

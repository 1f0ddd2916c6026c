import { isFreeTo, type Caller } from '#call/caller.ts';
import type { Call } from '#call/context.ts';
import type { Facade } from '#call/input.ts';
import { isRepeatable, type AnyTool } from '#call/tool.ts';
import type { Answers, Claim } from '#engine/leash/answers.ts';
import type { Held } from '#engine/leash/held.ts';
import type { Act } from '#kernel/acts.ts';
import { fail } from '#kernel/errors.ts';
import { denyAct } from './access.ts';

/** A call that has turned out to need an act that the leash of its caller does not allow at once. */
export class NeedsAct extends Error {
  override name = 'NeedsAct';
  readonly act: Act;

  constructor(act: Act) {
    super(`needs ${act}`);
    this.act = act;
  }
}

type Leashed = Readonly<{
  tool: AnyTool;
  facade: Facade;
  input: unknown;
  parsed: unknown;
  call: Call;
  modules: object;
}>;

/** Throws where the leash does not allow an act at once. */
export function permitAct(caller: Caller, act: Act): void {
  if (!isFreeTo(act, caller)) throw new NeedsAct(act);
}

/** Why a call has to wait for a person, or which item it may answer; nothing where it is free. */
type Judged = Readonly<{ reason?: string; claim?: Claim }>;

/** What the leash of a connection says to a call that comes to an act; refuses what it never allows. */
export async function judge(
  held: Pick<Held, 'count' | 'isAsked'> & Pick<Answers, 'begun' | 'claim'>,
  { tool, input, parsed, call, modules }: Leashed,
  act: Act,
): Promise<Judged> {
  const { leash, workspace } = call.caller;
  if (leash === undefined) return {};
  const verdict = leash.policy.acts[act];
  if (verdict === 'deny') return denyAct(act);
  const asked = { tool: tool.name, input: input as object };
  // What another leash let begin is settled, not done again.
  const begun = verdict === 'owed' || !tool.answers ? undefined : await held.begun(call.caller, asked);
  if (begun !== undefined) return { claim: begun };
  // What waits for a person is not done besides.
  const isOnce = act !== 'draft' && !isRepeatable(tool);
  if (verdict === 'hold' || (isOnce && (await held.isAsked(leash, asked.tool, asked.input)))) {
    return { reason: `acts.${act}` };
  }
  if (verdict === 'allow') return (await held.count(leash, workspace.id, act)) ? {} : { reason: `caps.${act}` };
  const item = await tool.answers?.(parsed, call, modules);
  const claim = await held.claim(call.caller, { ...asked, act, item });
  return typeof claim === 'string' ? { reason: claim } : { claim };
}

/** Holds a call for a person once it has passed every check that it would meet; returns what its caller is told. */
export async function holdCall(
  held: Pick<Held, 'hold'>,
  { tool, facade, input, parsed, call, modules }: Leashed,
  act: Act,
  reason: string,
) {
  refuseFiles(parsed);
  await tool.check?.(parsed, call, modules);
  return held.hold(call.caller, { tool: tool.name, facade, act, input: input as object, reason });
}

const NEXT = 'Add the file with upload_media and name its media_id.';

/** What may be another file by the time a person agrees is not held. */
function refuseFiles(value: unknown, field = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (Symbol.asyncIterator in value) {
    fail('validation.field_invalid', {
      message: `${field}: a file of a form cannot wait for a person.`,
      next: 'Send it as text in csv instead.',
      meta: { field },
    });
  }
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    if (typeof inner === 'string' && isAddress(name, value, field)) {
      fail('validation.field_invalid', {
        message: `${field || name}: a file that is named by its address cannot wait for a person: another could be there by then.`,
        next: NEXT,
        meta: { field: field || name },
      });
    }
    refuseFiles(inner, field || name);
  }
}

/** Whether a field holds the address of a file to be fetched; other links are shown as they are. */
function isAddress(name: string, { source_type }: Readonly<{ source_type?: unknown }>, inside: string): boolean {
  switch (name) {
    case 'source':
      // Options of platforms may leave it out, and mean an address.
      return source_type !== 'media_id' && source_type !== 'platform_attachment_id';
    case 'link':
      return inside === 'components';
    case 'url':
      return inside === '';
    default:
      return name === 'attachment_url' || name === 'image_url';
  }
}

import { isFreeTo, type Caller } from '#call/caller.ts';
import type { Call } from '#call/context.ts';
import { withoutDetail, type Facade } from '#call/input.ts';
import { isRepeatable, type AnyTool } from '#call/tool.ts';
import type { Answers, Claim } from '#engine/leash/answers.ts';
import type { Held } from '#engine/leash/held.ts';
import type { Act } from '#kernel/acts.ts';
import type { Workspace } from '#kernel/authority.ts';
import { addressIn } from '#kernel/effects/file-addresses.ts';
import { denyAct } from './access.ts';
import { refuseFiles, withStoredFiles } from './held-files.ts';
import { parseInput } from './parse-input.ts';

/** A call that has turned out to need an act that the limits of its caller do not allow at once. */
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

/** Throws if the limits do not allow an act at once. */
export function permitAct(caller: Caller, act: Act): void {
  if (!isFreeTo(act, caller)) throw new NeedsAct(act);
}

/** Why a call has to wait for a person, or which item it may answer; nothing where it is free. */
type Judged = Readonly<{ reason?: string; claim?: Claim }>;

/** What the limits of a connection say about a call that comes to an act; refuses what they never allow. */
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
  // What other limits allowed to begin is settled, not done again.
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

/** Files that are fetched for calls that wait. */
export type HeldFiles = Readonly<{
  storeFile(workspace: Workspace, url: string): Promise<string>;
  /** Removes what nobody needs any more; false where something of it may still be there. */
  dropFiles(workspaceId: string, ids: readonly string[]): Promise<boolean>;
}>;

/** Stands for the media id of a file that is not fetched yet. */
const unfetched = async (): Promise<string> => 'med';

type Holding = Readonly<{
  act: Act;
  reason: string;
  /** Refuses an input that would be refused if the call were made now, or what a person cannot agree to. */
  check(parsed: unknown, isForPerson: boolean): Promise<void>;
}>;

/** Holds a call for a person once it has passed every check that it would meet; returns what its caller is told. */
export async function holdCall(
  held: HeldFiles & Pick<Held, 'hold' | 'repeated'>,
  { tool, facade, input, parsed, call, modules }: Leashed,
  { act, reason, check }: Holding,
) {
  const asked = input as object;
  const before = await held.repeated(call.caller, tool.name, asked);
  if (before !== undefined) return before;
  // What could not be done anyhow, or cannot wait, is refused before anything is fetched.
  if (addressIn(asked) !== undefined) {
    refuseFiles(await withStoredFiles(asked, unfetched));
    await check(parsed, false);
  }
  const files: string[] = [];
  const storeFile = async (url: string): Promise<string> => {
    const id = await held.storeFile(call.workspace, url);
    files.push(id);
    return id;
  };
  try {
    const stored = await withStoredFiles(asked, storeFile);
    const fetched = files.length === 0 ? parsed : withoutDetail(tool, parseInput(tool, facade, stored));
    refuseFiles(fetched as object);
    await check(fetched, true);
    const item = await tool.answers?.(fetched, call, modules);
    const { body, kept } = await held.hold(call.caller, {
      tool: tool.name,
      facade,
      act,
      asked,
      input: stored,
      files,
      item,
      reason,
    });
    if (!kept) await held.dropFiles(call.workspace.id, files);
    return body;
  } catch (error) {
    await held.dropFiles(call.workspace.id, files);
    throw error;
  }
}

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

/** Thrown when a call turns out to need an act that its caller's limits do not allow at once. */
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

/** Throws `NeedsAct` if the limits do not allow an act at once. */
export function permitAct(caller: Caller, act: Act): void {
  if (!isFreeTo(act, caller)) throw new NeedsAct(act);
}

/** Why a call has to wait for a person, or the claim on the item it may reply to; empty if the call is free. */
type Judged = Readonly<{ reason?: string; claim?: Claim }>;

/** Decides by the connection's limits whether an act may run, must wait or needs a claim; throws if it is denied. */
export async function judge(
  held: Pick<Held, 'count' | 'isAsked'> & Pick<Answers, 'begun' | 'claim'>,
  { tool, input, parsed, call, modules }: Leashed,
  act: Act,
): Promise<Judged> {
  const { leash, workspace } = call.caller;
  if (leash === undefined) return {};
  const verdict = leash.policy.acts[act];
  if (verdict === 'deny') return denyAct(act, act === tool.lighter?.act ? undefined : tool.lighter?.how);
  const asked = { tool: tool.name, input: input as object };
  // A call that began under earlier limits is completed, not run again.
  const begun = verdict === 'owed' || !tool.answers ? undefined : await held.begun(call.caller, asked);
  if (begun !== undefined) return { claim: begun };
  // A call that already waits for approval is not run directly as well.
  const isOnce = act !== 'draft' && !isRepeatable(tool);
  if (verdict === 'hold' || (isOnce && (await held.isAsked(leash, asked.tool, asked.input)))) {
    return { reason: `acts.${act}` };
  }
  if (verdict === 'allow') return (await held.count(leash, workspace.id, act)) ? {} : { reason: `caps.${act}` };
  const item = await tool.answers?.(parsed, call, modules);
  const claim = await held.claim(call.caller, { ...asked, act, item });
  return typeof claim === 'string' ? { reason: claim } : { claim };
}

/** The files of calls that wait for approval. */
export type HeldFiles = Readonly<{
  storeFile(workspace: Workspace, url: string): Promise<string>;
  /** Removes files that no call needs any more; returns false if some of them may remain. */
  dropFiles(workspaceId: string, ids: readonly string[]): Promise<boolean>;
}>;

/** A placeholder for the media id of a file that is not fetched yet. */
const unfetched = async (): Promise<string> => 'med';

type Holding = Readonly<{
  act: Act;
  reason: string;
  /** Refuses an input that would fail now, or that a person cannot approve. */
  check(parsed: unknown, isForPerson: boolean): Promise<void>;
}>;

/** Holds a call for approval once it has passed every check; returns the response for the caller. */
export async function holdCall(
  held: HeldFiles & Pick<Held, 'hold' | 'repeated'>,
  { tool, facade, input, parsed, call, modules }: Leashed,
  { act, reason, check }: Holding,
) {
  const asked = input as object;
  const before = await held.repeated(call.caller, tool.name, asked);
  if (before !== undefined) return before;
  // Before any file is fetched, refuses calls that would fail anyway or cannot wait.
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

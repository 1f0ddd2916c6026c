import { describe, expect, it } from 'vitest';
import type { AnyTool } from '#call/tool.ts';
import { ACTS, type Act } from '#kernel/acts.ts';
import { toolsets } from '#tools/index.ts';

const tools: readonly AnyTool[] = toolsets.flatMap((set) => set.tools);

/** The operations that break a rule, each with the sentence that says how to mend it. */
function breaking(applies: (tool: AnyTool) => boolean, holds: (tool: AnyTool) => boolean, mend: string) {
  return tools.filter((tool) => applies(tool) && !holds(tool)).map(({ name }) => `${name}: ${mend}`);
}

const does =
  (...acts: readonly Act[]) =>
  ({ act }: AnyTool) =>
    act !== undefined && acts.includes(act);

describe('the act of an operation', () => {
  it('is declared by everything that is not a read, and is in the catalogue', () => {
    const declared = ({ effect, act }: AnyTool) =>
      effect === 'read' ? act === undefined : act !== undefined && Object.hasOwn(ACTS, act);
    const mend =
      'declare `act` with one of src/kernel/acts.ts where `effect` is not `read`, and leave it out of a read.';
    expect(breaking(() => true, declared, mend)).toEqual([]);
  });

  it('reaches people where the effect is to send', () => {
    const mend =
      'an operation with `effect: send` has the act post, message or comment, admin where it calls webhooks, or ' +
      "connect where it has a code sent to a number of one's own.";
    const sends = ({ effect }: AnyTool) => effect === 'send';
    expect(breaking(sends, does('post', 'message', 'comment', 'admin', 'connect'), mend)).toEqual([]);
  });

  it('deletes where the effect is to delete, and nowhere else', () => {
    const deletes = ({ effect }: AnyTool) => effect === 'delete';
    const kept =
      'an operation with `effect: delete` has the act delete, or connect or admin where that is what it ends.';
    expect(breaking(deletes, does('delete', 'connect', 'admin'), kept)).toEqual([]);
    const shown =
      'an operation with `act: delete` has `effect: delete`, so that assistants are told it is destructive.';
    expect(breaking(does('delete'), deletes, shown)).toEqual([]);
  });

  it('leaves the server where it is public or private communication', () => {
    const mend = 'declare `openWorld: true`: what posts, messages, comments or moderates reaches a platform.';
    const open = ({ openWorld }: AnyTool) => openWorld === true;
    expect(breaking(does('post', 'message', 'comment', 'moderate'), open, mend)).toEqual([]);
  });

  it('is draft only where nothing is published, sent or removed', () => {
    const mend = 'declare the worst the operation may do: `draft` is for what nobody outside the workspace ever sees.';
    const harmless = ({ effect, destructive, meter }: AnyTool) =>
      (effect === 'create' || effect === 'update') && destructive !== true && meter !== 'post';
    expect(breaking(does('draft'), harmless, mend)).toEqual([]);
  });

  it('is a message or comment, and settled when it is repeated, where it answers somebody', () => {
    const mend =
      'an operation with `answers` has the act message or comment, and `resume`: connections repeat answers.';
    const answers = ({ answers }: AnyTool) => answers !== undefined;
    const isSettled = (tool: AnyTool) => does('message', 'comment')(tool) && tool.resume !== undefined;
    expect(breaking(answers, isSettled, mend)).toEqual([]);
    expect(tools.filter(answers).map(({ name }) => name)).toEqual([
      'send_dm',
      'reply_to_comment',
      'reply_to_review',
      'reply_to_mention',
    ]);
  });

  it('agrees with who may call', () => {
    const writes = ({ effect }: AnyTool) => effect !== 'read';
    const manages = (tool: AnyTool) => {
      const { access } = tool;
      return (
        writes(tool) &&
        ('admin' in access || 'dashboard' in access || 'decide' in access || isScoped(tool, 'webhooks:manage'))
      );
    };
    const ofAdmin =
      'an operation for unrestricted keys, the dashboard or `webhooks:manage` has the act admin, and no other has.';
    expect(breaking(manages, does('admin'), ofAdmin)).toEqual([]);
    expect(breaking(does('admin'), manages, ofAdmin)).toEqual([]);
    const connects = (tool: AnyTool) => writes(tool) && isScoped(tool, 'accounts:manage');
    const ofAccounts =
      'an operation that changes something under `accounts:manage` has the act connect, and no other has.';
    expect(breaking(connects, does('connect'), ofAccounts)).toEqual([]);
    expect(breaking(does('connect'), connects, ofAccounts)).toEqual([]);
  });
});

function isScoped({ access }: AnyTool, scope: string): boolean {
  return 'scope' in access && access.scope === scope;
}

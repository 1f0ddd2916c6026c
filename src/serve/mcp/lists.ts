import type { Caller } from '#call/caller.ts';
import type { AnyTool } from '#call/tool.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { mayCall, profileOf } from '../access.ts';
import { listText } from './catalogue.ts';
import type { View } from './view.ts';

/** How many lists to cache. A list takes as much memory as its text. */
const MOST_KEPT = 64;

const NOBODY: ReadonlySet<string> = new Set();

export type ToolLists = (view: View, caller: Caller) => string;

/** Lists the offered tools that the caller may call. Callers with the same profile share a list. */
export function makeToolLists(offered: ReadonlySet<string>, testers: ReadonlySet<string> = NOBODY): ToolLists {
  const kept = boundedMap<string, string>(MOST_KEPT);
  return (view, caller) => {
    const isTester = testers.has(caller.userId);
    const key = `${view.id} ${isTester} ${profileOf(caller)}`;
    const list = kept.get(key) ?? make(view, caller);
    kept.set(key, list);
    return list;
  };

  function make({ entries, outputs }: View, caller: Caller): string {
    const isLeashed = caller.leash !== undefined;
    const isShown = (tool: AnyTool) => offered.has(tool.name) && (isLeashed || tool.leashed !== true);
    const open = [...entries.values()].filter(({ tool }) => isShown(tool) && mayCall(tool, caller));
    return listText(open, outputs);
  }
}

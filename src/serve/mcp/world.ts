import type { Toolset } from '#call/tool.ts';
import type { Invoke } from '../invoke.ts';
import { serverInfoOf, type Card } from './documents/card.ts';
import { listTools, offeredOf } from './catalogue.ts';
import type { Extension, World } from './exchange.ts';
import { writeInstructions } from './instructions.ts';
import { makeToolLists } from './lists.ts';
import { COMPLETIONS, offeredPrompts, PROMPTS, type Completion, type Prompt } from './prompts.ts';
import { makeResourceCatalogue, RESOURCES, type Resource } from './resources.ts';
import type { Skill } from './documents/skills.ts';
import { makeViews } from './view.ts';

/** What a server offers besides tools. The default is the product's own offer, except skills, which are files. */
export type Offer = Readonly<{
  instructions?: string;
  resources?: readonly Resource[];
  prompts?: readonly Prompt[];
  completions?: readonly Completion[];
  skills?: readonly Skill[];
}>;

type Parts = Offer &
  Readonly<{
    toolsets: readonly Toolset[];
    /** Capabilities of this build's platforms. Tools that need others are not offered. */
    supported: ReadonlySet<string>;
    invoke: Invoke;
    card: Card;
    extension?: Extension | undefined;
  }>;

const isForAll = ({ tools }: Toolset) => tools.some(({ leashed }) => leashed !== true);

/** What both transports share. */
export function makeWorld(parts: Parts): World {
  const {
    toolsets,
    supported,
    invoke,
    card,
    extension,
    resources = RESOURCES,
    prompts = PROMPTS,
    completions = COMPLETIONS,
    skills = [],
  } = parts;
  const entries = new Map(listTools(toolsets).map((entry) => [entry.tool.name, entry]));
  const offered = offeredOf(toolsets, supported);
  const selectable = offered.filter(isForAll);
  const names = new Set(offered.flatMap(({ tools }) => tools.map(({ name }) => name)));
  return Object.freeze({
    invoke,
    offered: selectable,
    entries,
    views: makeViews([...entries.values()], new Set(selectable.map(({ id }) => id))),
    listed: makeToolLists(names, toolsets.flatMap(({ tools }) => tools).find(({ testers }) => testers)?.testers),
    catalogue: makeResourceCatalogue(resources, entries, skills),
    prompts: offeredPrompts(prompts, names),
    completions: completions.filter((completion) => 'values' in completion || entries.has(completion.tool)),
    skills,
    serverInfo: serverInfoOf(card),
    instructions: parts.instructions ?? writeInstructions(selectable),
    extension,
  });
}

import type { Toolset } from '#call/tool.ts';
import type { Invoke } from '../invoke.ts';
import { serverInfoOf, type Card } from './card.ts';
import { listTools, offeredOf } from './catalogue.ts';
import type { Extension, World } from './exchange.ts';
import { writeInstructions } from './instructions.ts';
import { makeToolLists } from './lists.ts';
import { COMPLETIONS, offeredPrompts, PROMPTS, type Completion, type Prompt } from './prompts.ts';
import { makeResourceCatalogue, RESOURCES, type Resource } from './resources.ts';
import { makeViews } from './view.ts';

/** What a server offers beside its tools; the product's own unless given. */
export type Offer = Readonly<{
  instructions?: string;
  resources?: readonly Resource[];
  prompts?: readonly Prompt[];
  completions?: readonly Completion[];
}>;

type Parts = Offer &
  Readonly<{
    toolsets: readonly Toolset[];
    /** What some platform of this build can do; tools that need anything else are not offered. */
    supported: ReadonlySet<string>;
    invoke: Invoke;
    card: Card;
    extension?: Extension | undefined;
  }>;

/** Puts together what both transports serve. */
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
  } = parts;
  const entries = new Map(listTools(toolsets).map((entry) => [entry.tool.name, entry]));
  const offered = offeredOf(toolsets, supported);
  const names = new Set(offered.flatMap(({ tools }) => tools.map(({ name }) => name)));
  return Object.freeze({
    invoke,
    offered,
    entries,
    views: makeViews([...entries.values()], new Set(offered.map(({ id }) => id))),
    listed: makeToolLists(names, toolsets.flatMap(({ tools }) => tools).find(({ testers }) => testers)?.testers),
    catalogue: makeResourceCatalogue(resources, entries),
    offers: (tool) => names.has(tool),
    prompts: offeredPrompts(prompts, names),
    completions: completions.filter((completion) => 'values' in completion || entries.has(completion.tool)),
    serverInfo: serverInfoOf(card),
    instructions: parts.instructions ?? writeInstructions(offered),
    extension,
  });
}

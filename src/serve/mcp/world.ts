import type { Toolset } from '../../call/tool.ts';
import type { Invoke } from '../invoke.ts';
import { serverInfoOf, type Card } from './card.ts';
import { listTools } from './catalogue.ts';
import type { Extension, World } from './exchange.ts';
import { writeInstructions } from './instructions.ts';
import { COMPLETIONS, offeredPrompts, PROMPTS, type Completion, type Prompt } from './prompts.ts';
import { makeShelf, RESOURCES, type Resource } from './resources.ts';

/** What a server offers beside its tools; the product's own unless given. */
export type Offer = Readonly<{
  instructions?: string;
  resources?: readonly Resource[];
  prompts?: readonly Prompt[];
  completions?: readonly Completion[];
}>;

type Parts = Offer &
  Readonly<{ toolsets: readonly Toolset[]; invoke: Invoke; card: Card; extension?: Extension | undefined }>;

/** Puts together what both transports serve. */
export function makeWorld(parts: Parts): World {
  const {
    toolsets,
    invoke,
    card,
    extension,
    resources = RESOURCES,
    prompts = PROMPTS,
    completions = COMPLETIONS,
  } = parts;
  const entries = new Map(listTools(toolsets).map((entry) => [entry.tool.name, entry]));
  return Object.freeze({
    invoke,
    entries,
    shelf: makeShelf(resources, entries),
    prompts: offeredPrompts(prompts, entries),
    completions: completions.filter((completion) => 'values' in completion || entries.has(completion.tool)),
    serverInfo: serverInfoOf(card),
    instructions: parts.instructions ?? writeInstructions(toolsets),
    extension,
  });
}

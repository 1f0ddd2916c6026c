import type { Caller } from '#call/caller.ts';
import type { Toolset } from '#call/tool.ts';
import type { Invoke } from '../invoke.ts';
import type { Entry } from './catalogue.ts';
import type { ToolLists } from './lists.ts';
import type { Completion, Offers, Prompt } from './prompts.ts';
import type { ResourceCatalogue } from './resources.ts';
import type { Skill } from './documents/skills.ts';
import type { View, Views } from './view.ts';
import type { Answer, Era, Params, Refusal, RpcId } from './json-rpc.ts';

/** One request, whichever transport and era it came through. */
export type Exchange = Readonly<{
  era: Era;
  id: RpcId;
  method: string;
  params: Params;
  view: View;
  caller: Caller;
  requestId: string;
  /** Sends a message ahead of the answer, as far as the client takes any. */
  send(message: object): boolean;
  /** Ends when the client is gone before it was answered. */
  signal: AbortSignal;
}>;

export type Method = (exchange: Exchange) => Answer | Refusal | Promise<Answer | Refusal>;

/**
 * What the conformance fixtures add and the product does not have: further capabilities and methods,
 * which may also stand before the product's own and pass by answering nothing.
 */
export type Extension = Readonly<{
  capabilities: Readonly<Record<Era, object>>;
  method(exchange: Exchange): Promise<Answer | Refusal | undefined>;
  /** A response to a request sent by the server. */
  response(message: Params): void;
}>;

export type World = Readonly<{
  invoke: Invoke;
  /** The toolsets with the tools that somebody is shown. */
  offered: readonly Toolset[];
  /** Every tool that can be called, whatever the view: resources and completions are no part of one. */
  entries: ReadonlyMap<string, Entry>;
  views: Views;
  listed: ToolLists;
  catalogue: ResourceCatalogue;
  offers: Offers;
  prompts: ReadonlyMap<string, Prompt>;
  completions: readonly Completion[];
  skills: readonly Skill[];
  serverInfo: object;
  instructions: string;
  extension?: Extension | undefined;
}>;

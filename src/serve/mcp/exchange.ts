import type { Caller } from '#call/caller.ts';
import type { Toolset } from '#call/tool.ts';
import type { Invoke } from '../invoke.ts';
import type { Entry } from './catalogue.ts';
import type { ToolLists } from './lists.ts';
import type { Completion, Prompt } from './prompts.ts';
import type { ResourceCatalogue } from './resources.ts';
import type { Skill } from './documents/skills.ts';
import type { View, Views } from './view.ts';
import type { Answer, Era, Params, Refusal, RpcId } from './json-rpc.ts';

/** One request, independent of its transport and era. */
export type Exchange = Readonly<{
  era: Era;
  id: RpcId;
  method: string;
  params: Params;
  view: View;
  caller: Caller;
  requestId: string;
  called?(tool: string): void;
  /** Sends a message before the response, if the client accepts that. */
  send(message: object): boolean;
  /** Aborts if the client disconnects before the response. */
  disconnectSignal(): AbortSignal;
}>;

export type Method = (exchange: Exchange) => Answer | Refusal | Promise<Answer | Refusal>;

/** Additions for the conformance fixtures. Their methods run before the product's own and may pass a request on. */
export type Extension = Readonly<{
  capabilities: Readonly<Record<Era, object>>;
  method(exchange: Exchange): Promise<Answer | Refusal | undefined>;
  /** A client's response to a request from the server. */
  response(message: Params): void;
}>;

export type World = Readonly<{
  invoke: Invoke;
  offered: readonly Toolset[];
  /** Every tool that can be called. Resources and completions use it whatever the view. */
  entries: ReadonlyMap<string, Entry>;
  views: Views;
  listed: ToolLists;
  catalogue: ResourceCatalogue;
  prompts: ReadonlyMap<string, Prompt>;
  completions: readonly Completion[];
  skills: readonly Skill[];
  serverInfo: object;
  instructions: string;
  extension?: Extension | undefined;
}>;

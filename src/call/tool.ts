import type { z } from 'zod';
import type { Act } from '#kernel/acts.ts';
import type { ErrorCode, PlatformReason } from '#kernel/errors.ts';
import type { Scope } from '#kernel/scopes.ts';
import type { Capability } from '#platforms/support.ts';
import type { Answer, Call, Stream } from './context.ts';
import type { Brief } from './detail.ts';

export type Access =
  | Readonly<{ scope: Scope }>
  | Readonly<{ admin: true }>
  | Readonly<{ open: true }>
  /** For people who are signed in: those whose role has the scope, or only administrators. */
  | Readonly<{ dashboard: Scope | true }>
  | Readonly<{ decide: true }>;

export type Effect = 'read' | 'create' | 'update' | 'delete' | 'send';

/** Every operation except a read declares its act: the heaviest thing it may do. */
type Doing = Readonly<{ effect: 'read'; act?: never } | { effect: Exclude<Effect, 'read'>; act: Act }>;

/** A lighter act that some inputs of an operation amount to. */
type Lighter<I> = Readonly<{
  act: Act;
  when(input: I): boolean;
  /** Tells callers who may not do more which calls they may make. */
  how: string;
}>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an operation uses of the plan; reported in headers if the plan limits it. */
export type Meter = 'post' | 'interaction' | 'storage';

/** `platform.*` stands for every refusal a connector may answer with. */
export type DeclaredError = ErrorCode | `platform.*.${PlatformReason}` | 'platform.*';

/** A result as the schema has it, whose arrays may be readonly. */
type Wire<T> = T extends readonly (infer U)[]
  ? readonly Wire<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Wire<T[K]> }
    : T;

type Returned<O extends z.ZodObject> = Promise<Wire<z.input<O>> | Answer<Wire<z.input<O>>> | Stream<Wire<z.input<O>>>>;

/** One operation: REST route, MCP tool, documentation, access and hints are all derived from it. */
export type Tool<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
  R = never,
  S = never,
> = Doing &
  Readonly<{
    name: string;
    /** One sentence in the imperative: the description of the tool and of the route. */
    summary: string;
    /** `status` is that of a usual success, 200 by default; `also` lists other successes. */
    http: Readonly<{ method: Method; path: `/${string}`; status?: number; also?: readonly number[] }>;
    /** Calling twice has the effect of calling once; reads always are. */
    idempotent?: boolean;
    /** Removes something although it is no delete; deletes and sends always are. */
    destructive?: boolean;
    /** Reaches a platform or a receiver. */
    openWorld?: boolean;
    /** Inputs that are accepted while the server is paused, because their effects outside wait until the pause ends. */
    whilePaused?(input: z.output<I>): boolean;
    access: Access;
    /** Without a platform that has this capability no call can succeed, and assistants are not shown the tool. */
    needs?: Capability;
    meter?: Meter;
    /** Works while the subscription is unpaid. */
    pastDue?: 'exempt';
    input: I;
    output: O;
    brief?: Brief;
    errors: readonly DeclaredError[];
    /** The only users who may call it during a beta. */
    testers?: ReadonlySet<string>;
    newcomers?: true;
    /** How the REST body is read where it is not JSON. */
    body?: 'multipart';
    /** The largest file of such a body, if less than usual. */
    maxFileBytes?: number;
    /** Where a larger file can go instead. */
    largerFiles?: string;
    /** Answers with Server-Sent Events; `resume` is the input that Last-Event-ID fills. Never an MCP tool. */
    stream?: Readonly<{ resume: string }>;
    /** REST answers with `text` of the output as a file of this type and name. Never an MCP tool. */
    file?: Readonly<{ type: string; name: string }>;
    /** The lighter act that some inputs amount to; if stored data decides, the operation calls `call.permit`. */
    lighter?: Lighter<z.output<I>>;
    /** The item of the inbox that a call answers, if somebody else wrote it and nobody has answered. */
    answers?(input: z.output<I>, call: Call, modules: R): Promise<string | undefined>;
    /** What a delete removes, as the error for a missing one names it. */
    removes?: string;
    /** Shown only to an assistant with limits. */
    leashed?: true;
    /** Not an MCP tool; dashboard operations never are. */
    mcp?: false;
    run(input: z.output<I>, call: Call, modules: R): Returned<O>;
    /** Answers a repeat whose first answer was lost, from what was recorded under the Idempotency-Key (`tx.key`). */
    resume?(recorded: S, input: z.output<I>, call: Call, modules: R): Returned<O>;
    /** A POST that may happen twice when repeated. */
    unguarded?: true;
  }>;

// oxlint-disable-next-line typescript/no-explicit-any -- the one place where differently typed tools meet
export type AnyTool = Tool<any, any, any, any>;

export function defineTool<I extends z.ZodObject, O extends z.ZodObject, R, S = never>(
  tool: Tool<I, O, R, S>,
): Tool<I, O, R, S> {
  return Object.freeze(tool);
}

/** Whether only people may call an operation, not programs that act for them. */
export function isForPeople({ access }: Pick<AnyTool, 'access'>): boolean {
  return 'dashboard' in access || 'decide' in access;
}

/** Whether the limits of a connection apply to an operation. */
export function isLeashable(tool: Pick<AnyTool, 'act' | 'access'>): boolean {
  return tool.act !== undefined && !isForPeople(tool);
}

/** Whether a call may have to wait for approval; drafts, and calls that connect or manage something, never do. */
export function isHoldable({ act }: AnyTool): boolean {
  return act !== undefined && act !== 'connect' && act !== 'admin' && act !== 'draft';
}

/** Whether REST reads the input from path and query, without a body. */
export function takesQuery({ http: { method } }: AnyTool): boolean {
  return method === 'GET' || method === 'DELETE';
}

export function isRepeatable({ effect, idempotent }: AnyTool): boolean {
  return effect === 'read' || idempotent === true;
}

/** The `resume` of an operation whose transaction recorded the whole answer. */
export async function recordedAnswer<T>(recorded: T): Promise<T> {
  return recorded;
}

export type Toolset = Readonly<{
  id: string;
  title: string;
  description: string;
  tools: readonly AnyTool[];
}>;

export function toolset(id: string, title: string, description: string, tools: readonly AnyTool[]): Toolset {
  return Object.freeze({ id, title, description, tools: Object.freeze(tools) });
}

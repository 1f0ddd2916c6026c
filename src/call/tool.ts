import type { z } from 'zod';
import type { Act } from '#kernel/acts.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { PlatformReason } from '#kernel/errors.ts';
import type { Scope } from '#kernel/scopes.ts';
import type { Capability } from '#platforms/support.ts';
import type { Answer, Call, Stream } from './context.ts';
import type { Brief } from './detail.ts';

/** Who may call: holders of a scope, unrestricted callers, anyone with a token, or the dashboard alone. */
export type Access =
  | Readonly<{ scope: Scope }>
  | Readonly<{ admin: true }>
  | Readonly<{ open: true }>
  | Readonly<{ dashboard: true }>;

export type Effect = 'read' | 'create' | 'update' | 'delete' | 'send';

/** What an operation does. Everything but a read declares its act: the worst it may do. */
type Doing = Readonly<{ effect: 'read'; act?: never } | { effect: Exclude<Effect, 'read'>; act: Act }>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an operation uses of the plan; reported in headers if the plan limits it. */
export type Meter = 'post' | 'interaction' | 'storage';

/** `platform.*` stands for every refusal a connector may answer with. */
export type DeclaredError = ErrorCode | `platform.*.${PlatformReason}` | 'platform.*';

/** A result as the schema has it, whose arrays may be readonly. */
export type Wire<T> = T extends readonly (infer U)[]
  ? readonly Wire<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Wire<T[K]> }
    : T;

type Returned<O extends z.ZodObject> = Promise<Wire<z.input<O>> | Answer<Wire<z.input<O>>> | Stream<Wire<z.input<O>>>>;

/** One operation: REST route, MCP tool, documentation, access and hints are all read from it. */
export type Tool<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
  R = never,
  S = never,
> = Doing &
  Readonly<{
    name: string;
    /** One sentence in the imperative; the description of the tool and of the route. */
    summary: string;
    /** `status` is that of the usual success, 200 when left out; `also` are those of other ones. */
    http: Readonly<{ method: Method; path: `/${string}`; status?: number; also?: readonly number[] }>;
    /** Calling twice does what calling once does; reads always are. */
    idempotent?: boolean;
    /** Takes something away though it is no delete; deletes and sends always are. */
    destructive?: boolean;
    /** Reaches a platform or a receiver. */
    openWorld?: boolean;
    access: Access;
    /** What some platform must be able to do; where none can, no call can succeed and assistants are not shown the tool. */
    needs?: Capability;
    meter?: Meter;
    /** Answers while the subscription is unpaid. */
    pastDue?: 'exempt';
    input: I;
    output: O;
    /** The answer in brief, which assistants get unless they ask for `detail: full`. */
    brief?: Brief;
    errors: readonly DeclaredError[];
    /** The users it is open to, while it is not open to everybody. */
    testers?: ReadonlySet<string>;
    /** Open to people of the dashboard who have no user here yet. */
    newcomers?: true;
    /** How the REST body is read where it is not JSON. */
    body?: 'multipart';
    /** How large the file of such a body may be, where the largest file of all is too large. */
    maxFileBytes?: number;
    /**
     * Answers with Server-Sent Events, each of them one `output`; names the input that the Last-Event-ID header fills.
     * No tool of /mcp.
     */
    stream?: Readonly<{ resume: string }>;
    /** REST answers with the `text` of the output, as a file of this type and name. No tool of /mcp. */
    file?: Readonly<{ type: string; name: string }>;
    /** Not a tool of /mcp; dashboard operations never are. */
    mcp?: false;
    run(input: z.output<I>, call: Call, modules: R): Returned<O>;
    /**
     * Answers the repeat of a request that ended before its answer was kept, by what its work recorded under the
     * Idempotency-Key (`tx.key`): settles what is open of it, and does nothing twice. Every POST that may not be repeated
     * by nature has one.
     */
    resume?(recorded: S, input: z.output<I>, call: Call, modules: R): Returned<O>;
    /** A POST that a repeat may make happen twice. */
    unguarded?: true;
  }>;

/** Any operation, whatever its shapes and modules. */
// oxlint-disable-next-line typescript/no-explicit-any -- the one place where differently typed tools meet
export type AnyTool = Tool<any, any, any, any>;

/** Declares an operation; the answer is frozen data plus `run`. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject, R, S = never>(
  tool: Tool<I, O, R, S>,
): Tool<I, O, R, S> {
  return Object.freeze(tool);
}

/** Whether calling twice does what calling once does. */
export function isRepeatable({ effect, idempotent }: AnyTool): boolean {
  return effect === 'read' || idempotent === true;
}

/** For work whose transaction records the answer itself. */
export async function recordedAnswer<T>(recorded: T): Promise<T> {
  return recorded;
}

export type Toolset = Readonly<{
  id: string;
  title: string;
  description: string;
  tools: readonly AnyTool[];
}>;

/** Groups the operations of one resource; `id` is what `?toolsets=` names. */
export function toolset(id: string, title: string, description: string, tools: readonly AnyTool[]): Toolset {
  return Object.freeze({ id, title, description, tools: Object.freeze(tools) });
}

import type { PlatformReason } from '#kernel/errors.ts';
import { type EventName, EVENTS } from '#kernel/events.ts';
import type { FailureKind } from '#platforms/errors.ts';
import type { Platform } from '#platforms/platform.ts';
import type { TwinEntry } from '#sandbox/twins.ts';
import type { Exchange, Instead } from '../../harness/platforms/gate.ts';
import type { Answer, Json } from '../../harness/world.ts';
import type { Stage } from './stage.ts';

/** The events of some families, as `dm` for all of messages: what a platform without them is `without`. */
export const eventsOf = (...families: readonly string[]): readonly EventName[] =>
  (Object.keys(EVENTS) as EventName[]).filter((name) => families.includes(name.split('.')[0]!));

/** How a case reaches the product, and plays the people of its simulator. */
export type Door = Readonly<{
  rest(call: `${string} /${string}`, body?: unknown): Promise<Answer>;
  /** Below `/sandbox/__control/`. */
  control(path: string, body?: object): Promise<Json>;
  /** Stores a file; its id. */
  upload(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string>;
}>;

/** A connected account with one published post, one comment on it, one conversation and one review; '' for what its platform lacks. */
export type Scene = Door &
  Readonly<{
    /** Our id of the account. */
    account: string;
    /** Who connected it, by the name the simulator knows. */
    person: string;
    /** The platform's id of its page, where accounts have pages. */
    page: string;
    post: string;
    platformPost: string;
    comment: string;
    conversation: string;
    /** A review of the account. */
    review: string;
  }>;

/** What the public sees of one part of a post now, and how often it was made public. */
export type Seen = Readonly<{
  now: number;
  ever: number;
  /** The post is published without it where it cannot be found again. */
  optional?: true;
}>;

export type PostCase = Readonly<{
  /** What is asked for; `accounts` are those it is for, which get targets where a platform wants more of them. */
  input(door: Door, text: string, accounts: readonly string[]): object | Promise<object>;
  seen(door: Door, text: string): Promise<readonly Seen[]>;
  /** No look-up is sure of it: after a lost answer it may fail as unknown. */
  unfindable?: true;
  /** Another kind whose steps and requests hold all of its own, and which is cut in its place. */
  within?: string;
  /** In how many tests it is cut, where one would take too long. */
  cutIn?: number;
}>;

/** An answer to a person: a message, a comment. */
export type SendCase = Readonly<{
  call(scene: Scene): `${string} /${string}`;
  ask(scene: Scene, text: string): object;
  seen(door: Door, text: string): Promise<number>;
  /** No look-up finds it, and no report settles it: after a lost answer nobody knows. */
  unfindable?: true;
}>;

/** A row of an error table, and an answer of the platform that it is for. */
export type ProbeRow = Readonly<{
  /** The row itself; tables share rows. */
  row: unknown;
  about: string;
  kind: FailureKind;
  reason: PlatformReason;
  /** It stands for all that no other row lists. */
  isRest: boolean;
  /** What can be done again is, before it counts. */
  passing: boolean;
  /** The code of the platform's own that it has. */
  code: string | undefined;
  instead: Instead | undefined;
}>;

/** All rows of an error table, and an operation whose next request meets one of their errors. */
export type Probe = Readonly<{ rows: readonly ProbeRow[]; ask(scene: Scene, text: string): Promise<Answer> }>;

/** How sessions of a platform are renewed. */
export type Refresh = Readonly<{
  /** How the simulator calls the request, whose journal says whose session it is. */
  method: string;
  /** How long after it was issued a session is renewed. */
  dueMs: number;
  /** A refresh token counts once: who did not hear the next one has to connect again. */
  isSingleUse?: true;
}>;

/** What becomes of something that people send or do: the first word of its row in docs/inbound.md. */
export type Becomes =
  | 'message'
  | 'comment'
  | 'edit'
  | 'removal'
  | 'reaction'
  | 'notice'
  | 'postback'
  | 'referral'
  | 'mention'
  | 'receipt'
  | 'nothing';

/** A documented kind of content, message or update of the platform, and how its simulator sends one. */
export type InboundCase = Readonly<{
  becomes: Becomes;
  /** What has to be there first. */
  before?(scene: Scene): Promise<unknown>;
  send(scene: Scene): Promise<unknown>;
  /** Members of the entry of the inbox, or of what its event says. */
  shows?: object;
  /** It is sent at once with its neighbours, which become the same. */
  together?: true;
}>;

/** Everything the conformance test has to know of a platform. */
export type Subject = Readonly<{
  platform: Platform;
  /** Of its kind of account, where a platform has several. */
  name?: string;
  /** Its simulator, where the product has none. */
  twin?: TwinEntry;
  /**
   * What a description that the platform has published has against a request of the connector and the answer of the
   * simulator; empty where they are as described, undefined where they are none of its calls.
   */
  described?(exchange: Exchange): readonly string[] | undefined;
  /** What an operator does before anybody connects. */
  prepare?(door: Door): Promise<unknown>;
  /** Connects the nth person of the simulator through the API; our id of the account, and the person's name. */
  connect(door: Door, nth: number): Promise<Readonly<{ account: string; person: string }>>;
  /** What renews a session; none where what a platform issues is good for ever. */
  refresh?: Refresh;
  /** Somebody on the platform does something with the account; the `text` is new each time. */
  people: Readonly<{
    comment?(scene: Pick<Scene, keyof Door | 'platformPost'>, text: string): Promise<unknown>;
    message?(scene: Pick<Scene, keyof Door | 'person' | 'page'>, text: string): Promise<unknown>;
    review?(scene: Pick<Scene, keyof Door | 'account'>, text: string): Promise<unknown>;
  }>;
  /** Every documented kind of content that people send, by the platform's own name of it. */
  inbound?: Readonly<Record<string, InboundCase>>;
  /** None where the platform publishes nothing. */
  posts: Readonly<Record<string, PostCase>>;
  sends: Readonly<Record<string, SendCase>>;
  /** Where the platform fails at the first request of a send, it is asked again at once: nobody can see it twice. */
  sendsAgain?: true;
  /** Causes of events that only somebody on the platform can have; the others are the same on every platform. */
  events: Readonly<Partial<Record<EventName, (scene: Scene) => Promise<unknown>>>>;
  /** Events that it never has. */
  without: readonly EventName[];
  /** A final refusal of whatever is asked next. */
  refusal: Instead;
  /** A refusal in its own words that none of its tables lists. */
  unlisted: Instead;
  /** Its error tables. */
  probes: readonly Probe[];
  /** The person removes our access in the platform's settings; asks for their data to be deleted. */
  deauthorize(scene: Scene): Promise<unknown>;
  deleteData?(scene: Scene): Promise<unknown>;
  /** What it can do beyond what every platform is tried with; `scenes` begin with a post, a comment, a conversation. */
  capabilities?: Readonly<Record<string, Capability>>;
  scenes?: Readonly<Record<string, (stage: Stage, scene: Scene) => Promise<void>>>;
}>;

export type Capability = (stage: Stage) => Promise<void>;

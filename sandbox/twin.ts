import type { Context } from 'koa';
import type { Html } from './html.ts';

/** A person on a simulator, with the credentials that the console shows. */
export type SandboxPerson = Readonly<{
  network: string;
  id: string;
  handle: string;
  display_name: string;
  /** The credentials for a connect form, by their label in the console. */
  credentials: Readonly<Record<string, string>>;
  /** What to enter in the platform's connect form, if it has one. */
  form?: Readonly<Record<string, string>>;
  commits: number;
  posts: number;
}>;

/** One event in the history of a post. */
type SandboxVersion = Readonly<{
  action: 'create' | 'update' | 'delete';
  cid: string | undefined;
  rev: string;
  at: string;
  record: unknown;
}>;

/** A post with its history. The number of `versions` tells a second publish from a repeat without effect. */
export type SandboxPost = Readonly<{
  network: string;
  person: string;
  uri: string;
  rkey: string;
  exists: boolean;
  text: string;
  path: string;
  versions: readonly SandboxVersion[];
}>;

/** A direct message, listed once per send, so two equal ones mean that it was sent twice. */
export type SandboxMessage = Readonly<{
  network: string;
  conversation: string;
  id: string;
  /** The handles of people, or what the network uses instead. */
  from: string;
  to: string;
  text: string;
  at: string;
}>;

export type ActionField = Readonly<{
  name: string;
  label: string;
  /** The kind of input: `lines` is a larger text box, `flag` a checkbox. */
  input: 'text' | 'lines' | 'number' | 'flag';
  /** Choices that are offered as a list. */
  choices?: () => readonly Readonly<{ value: string; label: string }>[];
  /** May be left empty; then it is missing from the input. */
  optional?: boolean;
}>;

/** Something that an operator or a test does in place of a follower. */
export type Action = Readonly<{
  name: string;
  label: string;
  group: string;
  fields: readonly ActionField[];
}>;

/** Draws an action's form next to the thing it acts on, with the known fields filled in. */
export type Offer = (action: string, given: Readonly<Record<string, string>>, label?: string) => Html;

export type Resident = Readonly<{
  handle: string;
  name: string;
  path: string | undefined;
  /** What the person is for: how to connect them, or what they do. */
  part: Html;
}>;

export type SandboxPush = Readonly<{
  id: number;
  kind: string;
  url: string;
  body: string;
  at: string;
  attempts: number;
  state: 'waiting' | 'delivered' | 'given_up';
  status: number | undefined;
  answer: string;
}>;

/** What is known about a simulator before it is opened. */
export type TwinAbout = Readonly<{
  slug: string;
  title: string;
  /** How to connect an account, in one sentence. */
  entry: string;
  /** Areas, or paths in them, for programs. Others are pages, which need a sign-in on a public server. */
  apis: readonly string[];
  /** What the names of its tables begin with, before an underscore. */
  prefix: string;
}>;

export type Twin = TwinAbout &
  Readonly<{
    methods: readonly string[];
    handle(ctx: Context, segments: readonly string[]): Promise<void> | void;
    people(): readonly SandboxPerson[];
    /** Everybody who can be connected or played in the console. */
    cast(): readonly Resident[];
    find(person: string): string | undefined;
    addPerson(handle: string, displayName: string): SandboxPerson;
    posts(person: string): readonly SandboxPost[];
    /** The newest posts with their replies, for the console; undefined if nobody can post. */
    latest?(count: number, offer?: Offer): readonly Html[];
    /** What followers can do, for the console's forms and the control API. */
    actions?: readonly Action[];
    /** Conversations with their newest messages; undefined if nobody can send messages. */
    conversations?(count: number, offer: Offer): readonly Html[];
    /** Deliveries to the app, newest first; undefined if the platform has no pushes. */
    pushes?(count: number): readonly SandboxPush[];
    /** Ends all grants of a person, as they could in the platform's settings. */
    revoke(person: string): void;
    /** Deletes everything except people and their credentials. */
    reset(): void;
    /** Runs an action by name and returns its result; undefined if there is no such action. */
    act?(name: string, input: Readonly<Record<string, unknown>>): unknown;
    /** Returns a list by name; undefined if there is no such list. */
    look?(name: string): unknown;
    /** Resolves when nothing is left to send. */
    settle?(): Promise<void>;
    close?(): void;
  }>;

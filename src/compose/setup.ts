import type { Store as BareStore } from '#db/store/open.ts';
import type { Base, CrashPoint } from '#call/ports.ts';
import type { Toolset } from '#call/tool.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { PlannedPlatforms } from '#kernel/plans.ts';
import type { Log } from '#kernel/log.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Sandbox, SandboxOptions } from '#sandbox/network.ts';
import type { TwinEntry } from '#sandbox/twins.ts';

/** What the product is given besides its configuration; all that is optional is for tests. */
export type Surroundings = Readonly<{
  clock: Clock;
  log: Log;
  sealer: Sealer;
  /** The port this server listens on. */
  port: number;
  /** Addresses that may be private, of a command that asks the server that it runs beside. */
  trusted?: readonly string[];
  /** An open store, instead of the one the configuration names. */
  store?: BareStore;
  crash?: CrashPoint;
  /** Connectors instead of the product's own. */
  platforms?: Platforms;
  /** Operations instead of the product's own. */
  toolsets?: readonly Toolset[];
  /** Milliseconds outbound requests may take, and requests wait for publishing or for a stalled client. */
  deadlines?: Readonly<{ call?: number; delivery?: number; publishWait?: number; identity?: number; stall?: number }>;
  /** The largest body that is passed on in a migration. */
  forwardedBytes?: number;
  sandboxFile?: string;
  /** Twins instead of the product's own. */
  twins?: readonly TwinEntry[];
  /** Opens the sandbox in another way. */
  openSandbox?: (options: SandboxOptions) => Sandbox;
  /** Checks every answer against its schema. */
  checkOutput?: boolean;
  /** Extra certificate authority of webhook receivers, as PEM, instead of WEBHOOK_CA_FILE. */
  webhookCa?: string;
}>;

/** What every part of the composition starts from. */
export type Setup = Omit<Surroundings, 'clock' | 'log' | 'store'> &
  Required<Pick<Surroundings, 'crash' | 'platforms' | 'toolsets' | 'deadlines'>> &
  Readonly<{ base: Base; config: Config; plannedPlatforms: PlannedPlatforms }>;

import type { Store as BareStore } from '#db/store/open.ts';
import type { Base, CrashPoint } from '#call/ports.ts';
import type { Toolset } from '#call/tool.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { MailTransport } from '#engine/mail/transport.ts';
import type { Workshop } from '#engine/media/pictures/workshop.ts';
import type { Pause } from '#engine/pause/index.ts';
import type { CheckResult } from '#engine/readiness/checks.ts';
import type { PlannedPlatforms } from '#kernel/plans.ts';
import type { Log } from '#kernel/log.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Sandbox, SandboxOptions } from '#sandbox/network.ts';
import type { TwinEntry } from '#sandbox/twins.ts';

/** What the product is given besides its configuration; optional members are for tests. */
export type Surroundings = Readonly<{
  clock: Clock;
  log: Log;
  sealer: Sealer;
  port: number;
  /** Private addresses that a command may call, such as the server next to it. */
  trusted?: readonly string[];
  /** Checks the installation from a process next to the server. */
  doctor?: () => Promise<readonly CheckResult[]>;
  store?: BareStore;
  crash?: CrashPoint;
  platforms?: Platforms;
  toolsets?: readonly Toolset[];
  /** Takes mails in place of the mail server of SMTP_URL. */
  mailTransport?: MailTransport;
  /** Converts pictures in place of a process of this server. */
  workshop?: Workshop;
  /**
   * Time limits in milliseconds: for outbound requests, for waiting until something is published, for a stalled client.
   */
  deadlines?: Readonly<{ call?: number; delivery?: number; publishWait?: number; identity?: number; stall?: number }>;
  /** The largest forwarded body of a migration. */
  forwardedBytes?: number;
  sandboxFile?: string;
  twins?: readonly TwinEntry[];
  openSandbox?: (options: SandboxOptions) => Sandbox;
  /** Checks every response against its schema. */
  checkOutput?: boolean;
  /** Extra certificate authority of webhook receivers, as PEM, instead of WEBHOOK_CA_FILE. */
  webhookCa?: string;
}>;

export type Setup = Omit<Surroundings, 'clock' | 'log' | 'store'> &
  Required<Pick<Surroundings, 'crash' | 'platforms' | 'toolsets' | 'deadlines' | 'workshop'>> &
  Readonly<{ base: Base; config: Config; pause: Pause; plannedPlatforms: PlannedPlatforms }>;

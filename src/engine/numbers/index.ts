import type { AccountRow } from '#db/access/accounts.ts';
import { refuseDead, type PlatformCodes } from '#call/accounts.ts';
import type { AccountFinder, Sessions } from '#call/ports.ts';
import type { SendBegun, SendContext, Sends } from '#call/sends.ts';
import type { Authority } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import type {
  CodeRequest,
  NumberProfile,
  NumberProfileChange,
  Numbers as NumberCalls,
  NumberStatus,
} from '#platforms/business.ts';
import type { AccountCall } from '#platforms/call.ts';
import { capabilityOf, type Platforms } from '#platforms/lookup.ts';
import { orPlatformRefusal } from '#platforms/refusal.ts';

type NumberDeps = Readonly<{
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  find: AccountFinder;
  sends: Sends;
}>;

export type NumberRef = Readonly<{ on: PlatformCodes; id: string }>;

/** A change of a number that must be made only once. */
type Change = Readonly<{
  name: string;
  /** The content that may be stored, without codes and PINs. */
  content?: unknown;
  act(numbers: NumberCalls, call: AccountCall): Promise<void>;
  /** Whether this status shows the change; if missing, the outcome after a lost response stays unknown. */
  isDone?(status: NumberStatus): boolean;
}>;

/** Phone numbers: verifies them by a code, registers them, and reads and changes their profiles. */
export function makeNumbers({ sessions, platforms, find, sends }: NumberDeps) {
  async function numberOf(authority: Authority, { on, id }: NumberRef, what: string) {
    const account = await find(authority, on, id);
    const numbers = capabilityOf(platforms, account, `numbers.${what}`, (platform) => platform.numbers);
    refuseDead(account);
    return { account, numbers };
  }

  const callPlatform = <T>(account: AccountRow, question: (call: AccountCall) => Promise<T>): Promise<T> =>
    orPlatformRefusal(account.platform, sessions.use(account, question));

  async function change(
    { authority, workspace, signal }: SendContext,
    ref: NumberRef,
    what: Change,
    begun?: SendBegun,
  ) {
    const { name, content = null, act, isDone } = what;
    const { account } = await sends.settle<object>(begun, signal, async () => {
      const { account: number, numbers } = await numberOf(authority, ref, name);
      return sends.send<object>(
        {
          kind: 'number',
          account: number,
          workspace,
          metered: false,
          begun,
          request: { place: name, content },
          parts: [
            {
              idempotent: false,
              prepare: undefined,
              maxWaitMs: undefined,
              send: async (call) => (await act(numbers, call), {}),
              settle: isDone && (async (call) => (isDone(await numbers.status(call)) ? {} : 'absent')),
            },
          ],
        },
        signal,
      );
    });
    return { success: true, ok: true, id: account.id };
  }

  async function profile(authority: Authority, ref: NumberRef): Promise<NumberProfile> {
    const { account, numbers } = await numberOf(authority, ref, 'profile');
    return callPlatform(account, (call) => numbers.profile(call));
  }

  return Object.freeze({
    requestCode: (call: SendContext, ref: NumberRef, content: CodeRequest, begun?: SendBegun) =>
      change(call, ref, { name: 'request_code', content, act: (to, on) => to.requestCode(on, content) }, begun),

    verifyCode: (call: SendContext, ref: NumberRef, code: string, begun?: SendBegun) =>
      change(
        call,
        ref,
        { name: 'verify_code', act: (to, on) => to.verifyCode(on, code), isDone: ({ verified }) => verified },
        begun,
      ),

    register: (call: SendContext, ref: NumberRef, pin: string, begun?: SendBegun) =>
      change(
        call,
        ref,
        { name: 'register', act: (to, on) => to.register(on, pin), isDone: ({ registered }) => registered },
        begun,
      ),

    deregister: (call: SendContext, ref: NumberRef, begun?: SendBegun) =>
      change(
        call,
        ref,
        { name: 'deregister', act: (to, on) => to.deregister(on), isDone: ({ registered }) => !registered },
        begun,
      ),

    async status(authority: Authority, ref: NumberRef): Promise<NumberStatus> {
      const { account, numbers } = await numberOf(authority, ref, 'status');
      return callPlatform(account, (call) => numbers.status(call));
    },

    profile,

    /** Changes the given fields of the profile and returns it as the platform shows it. */
    async setProfile(authority: Authority, ref: NumberRef, given: NumberProfileChange): Promise<NumberProfile> {
      if (Object.values(given).every((value) => value === undefined)) {
        fail('validation.field_required', { message: 'Send at least one field to change.', meta: { field: 'about' } });
      }
      const { account, numbers } = await numberOf(authority, ref, 'profile');
      await callPlatform(account, (call) => numbers.setProfile(call, given));
      return profile(authority, ref);
    },
  });
}

export type Numbers = ReturnType<typeof makeNumbers>;

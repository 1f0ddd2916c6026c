import type { makeConnect } from '../../../engine/accounts/connect.ts';
import type { makeLanding } from '../../../engine/accounts/landing.ts';

/** What the pages need of the engine. */
export type Connect = Pick<ReturnType<typeof makeConnect>, 'pending' | 'expired' | 'submit' | 'abandon'> &
  Pick<ReturnType<typeof makeLanding>, 'land' | 'consentUrl'>;
export type ConnectPending = NonNullable<Awaited<ReturnType<Connect['pending']>>>;

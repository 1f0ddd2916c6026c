const ADDRESS = '/dashboard/session';
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** Who is signed in now, and the token that proves it: the page's own as long as its session lasts. */
type Current = Readonly<{ person: string; token: string }>;

/** Who is signed in, seen from the page. */
export type SignedIn = 'the same' | 'somebody else' | 'nobody';

type Init = Omit<RequestInit, 'headers'> & Readonly<{ headers?: Readonly<Record<string, string>> }>;

type SessionDeps = Readonly<{
  person: string;
  /** The token of the page. */
  token(): string;
  renew(token: string): void;
  /** Called with who is signed in now, once a request was refused. */
  found(who: SignedIn): void;
  fetch(address: string, init: RequestInit): Promise<Response>;
}>;

/** Proves requests by the page's token. After another sign-in it takes the new one, so that the page can stay. */
export function makeSession({ person, token, renew, found, fetch }: SessionDeps) {
  const send = (address: string, init: Init = {}): Promise<Response> =>
    fetch(address, { ...init, headers: { ...init.headers, 'Rostra-Page': token() } });

  let begun = 0;
  let latest = 0;

  /** Asks who is signed in, after a request was refused. */
  async function check(): Promise<void> {
    begun += 1;
    const number = begun;
    const response = await send(ADDRESS);
    if (!response.ok && !REFUSED.has(response.status)) return;
    const current = response.ok ? ((await response.json()) as Current) : undefined;
    // A later check has been answered already: somebody may have signed in between the two.
    if (number < latest) return;
    latest = number;
    if (current?.person === person) renew(current.token);
    found(whoIs(current));
  }

  function whoIs(current: Current | undefined): SignedIn {
    if (current === undefined) return 'nobody';
    return current.person === person ? 'the same' : 'somebody else';
  }

  return {
    check,
    /** Sends a request, and again if only its token was out of date. */
    async fetch(address: string, init?: Init): Promise<Response> {
      const used = token();
      const response = await send(address, init);
      if (!REFUSED.has(response.status)) return response;
      await check().catch(() => undefined);
      return token() === used ? response : send(address, init);
    },
  };
}

export type Session = ReturnType<typeof makeSession>;

/** Knows whether the page may be left: not after anything was typed, chosen or dropped, nor while anything is under way. */
export function watchWork(page: Pick<Document, 'addEventListener'> = document) {
  let hasInput = false;
  let isUnderWay = (): boolean => false;
  for (const name of ['input', 'drop'] as const)
    page.addEventListener(name, () => void (hasInput = true), { capture: true });
  return {
    mayLeave: (): boolean => !hasInput && !isUnderWay(),
    /** Sets how to find out whether anything is under way. */
    follow: (asked: () => boolean): void => void (isUnderWay = asked),
  };
}

const ADDRESS = '/dashboard/session';
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** Who is signed in now, and the token that proves it: the page's own as long as its session lasts. */
type Current = Readonly<{ person: string; token: string }>;

type Init = Omit<RequestInit, 'headers'> & Readonly<{ headers?: Readonly<Record<string, string>> }>;

type SessionDeps = Readonly<{
  person: string;
  /** The token of the page. */
  token(): string;
  renew(token: string): void;
  /** Called with whether the person of the page is signed out, once a request was refused. */
  ended(isOver: boolean): void;
  fetch(address: string, init: RequestInit): Promise<Response>;
}>;

/** Proves requests by the page's token. After another sign-in it takes the new one, so that the page can stay. */
export function makeSession({ person, token, renew, ended, fetch }: SessionDeps) {
  const send = (address: string, init: Init = {}): Promise<Response> =>
    fetch(address, { ...init, headers: { ...init.headers, 'Rostra-Page': token() } });

  /** Asks who is signed in, after a request was refused. */
  async function check(): Promise<void> {
    const response = await send(ADDRESS);
    if (!response.ok && !REFUSED.has(response.status)) return;
    const current = response.ok ? ((await response.json()) as Current) : undefined;
    const isSame = current?.person === person;
    if (isSame) renew(current.token);
    ended(!isSame);
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

/** Returns a function that tells whether anything was typed or chosen on this page. */
export function watchTyping(): () => boolean {
  let hasTyped = false;
  document.addEventListener('input', () => void (hasTyped = true), { capture: true });
  return () => hasTyped;
}

import type { Provider } from '../provider.ts';
import { zernio } from './zernio.ts';

/** Every provider that workspaces can migrate from, by its name. */
export const providers: ReadonlyMap<string, Provider> = new Map([zernio].map((one) => [one.name, one]));

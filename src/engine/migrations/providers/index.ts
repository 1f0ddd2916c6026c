import type { Provider } from '../provider.ts';
import { zernio } from './zernio.ts';

export const providers: ReadonlyMap<string, Provider> = new Map([zernio].map((one) => [one.name, one]));

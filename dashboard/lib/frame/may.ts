import type { OperationName } from '../operations.ts';
import { DENIED } from '../page.ts';

/** Whether the role of the signed-in person allows an operation. */
export const may = (operation: OperationName): boolean => !DENIED.has(operation);

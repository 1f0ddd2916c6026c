import { conforms } from './conforms.ts';
import { zaloSubject } from './zalo.ts';

conforms(zaloSubject);

import { conforms } from './conforms.ts';
import { threadsSubject } from './threads.ts';

conforms(threadsSubject);

import { conforms } from './conforms.ts';
import { telegramSubject } from './telegram.ts';

conforms(telegramSubject);

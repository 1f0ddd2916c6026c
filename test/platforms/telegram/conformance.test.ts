import { conforms } from '../conformance/conforms.ts';
import { telegramSubject } from '../conformance/telegram.ts';

conforms(telegramSubject);

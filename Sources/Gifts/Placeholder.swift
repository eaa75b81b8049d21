// Gifts
